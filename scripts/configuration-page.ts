import { settingSections } from '../src/config/declared-settings.ts'
import type { Setting } from '../src/config/setting-kinds.ts'

const head = `# Configuration

Every setting is an environment variable, read once at startup; all mistakes are reported together. A warning names variables
that look like a setting, or were one, but have no effect. \`{id}\` is a name of your choice; variables that end in \`__0\` are lists, continued
with \`__1\`, \`__2\` and so on. \`npm run contract\` writes this page from \`src/config/declared-settings.ts\`.
`

const tail = `## Several instances, and poolers

With \`DATABASE_URL\`, any number of instances of any host may share the database. Each instance migrates it at startup, one after the other;
\`npm run cli -- migrate\` does only that. You may put a pooler in front of the database. In session mode, or in transaction mode with
named statements (pgbouncer 1.21 or newer with \`max_prepared_statements\`), it needs no setting; an older one in transaction mode
needs \`DB_NAMED_STATEMENTS=false\`.
`

/** docs/configuration.md, from the declared settings. */
export function configurationPage(): string {
  const sections = Object.entries<Readonly<Record<string, Setting<unknown>>>>(settingSections)
  return [head, ...sections.map(([title, settings]) => section(title, settings)), tail].join('\n')
}

const section = (title: string, settings: Readonly<Record<string, Setting<unknown>>>): string => `## ${title}

| Variable | Default | Meaning |
|---|---|---|
${Object.entries(settings).map(row).join('\n')}
`

const row = ([name, { isNumbered, documentedDefault, about }]: [string, Setting<unknown>]): string =>
  `| \`${name}${isNumbered ? '__0' : ''}\` | ${documentedDefault} | ${about} |`
