import { commands } from '../src/cli/run-command.ts'
import { synopsis } from '../src/cli/usage.ts'

const head = `# Commands

Every command of the program, in the project's folder. \`--help\` after its name explains a command and its options. Exit codes: 0 success,
1 failure, 2 usage error. \`npm run contract\` writes this page from \`src/cli/run-command.ts\`.

Administrative commands work while the hosts run, and while they are stopped. \`account\` and \`client list\` read the settings of the rest
host; \`account remove-factors\`, \`client end\`, \`keys\` and \`secret\` read those of the identity host. The role that migrates the schema
can run all of them if it has the secret of the identity host. Passwords are typed or piped in, and never arguments; \`--yes\` confirms a
command that ends sessions. The result goes to standard output, security events (\`docs/security-events.md\`) to standard error. Scripts
use \`npm run --silent cli\`, so that npm itself prints nothing. Each past day of the history is closed with a hash, called the head of
the day, which depends on all earlier days.

| Where | A command |
|---|---|
| one machine | \`npm run cli -- account list\`, with the variables of the host |
| a unit for each host | \`systemd-run --pty --quiet --collect -p DynamicUser=yes -p EnvironmentFile=/etc/tracker/common.env -p EnvironmentFile=/etc/tracker/rest.env -p WorkingDirectory=/opt/tracker /opt/tracker/node_modules/.bin/node src/cli.ts account list\` |
| containers | \`docker compose exec rest node src/cli.ts account list\` |
| Kubernetes | \`kubectl -n tracker exec -it deploy/rest -- node src/cli.ts account list\` |

| Command | What it does |
|---|---|
`

/** Returns docs/commands.md, from the table of the commands. */
export const commandsPage = (): string =>
  head +
  Object.entries(commands)
    .map(([name, entry]) => row(name, entry))
    .join('')

const row = (name: string, entry: (typeof commands)[string]): string =>
  `| \`${synopsis(name, entry).replaceAll('|', '\\|')}\` | ${entry.about} |\n`
