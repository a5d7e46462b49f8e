import {
  declaredSettings,
  type SettingName,
  settingSections,
  type ValueOf,
} from '../src/config/declared-settings.ts'
import type { Setting } from '../src/config/setting-kinds.ts'
import type { Settings } from '../src/config/settings.ts'
import { readStoreSettings } from '../src/config/store-settings.ts'
import { readBankSettings } from '../src/hosts/bank/configuration.ts'
import { readCommandSettings } from '../src/hosts/commands/configuration.ts'
import { readIdentitySettings } from '../src/hosts/identity/configuration.ts'
import { readRestSettings } from '../src/hosts/rest/configuration.ts'
import { readWebSettings } from '../src/hosts/web/configuration.ts'

const head = `# Configuration

Every setting is an environment variable, read once at startup; all mistakes are reported together. A warning names variables
that look like a setting, or were one, but have no effect. \`{id}\` is a name of your choice; variables that end in \`__0\` are lists, continued
with \`__1\`, \`__2\` and so on. A secret is a credential or may contain one; every secret
can also be the content of a file: \`DATABASE_URL_FILE=/run/secrets/database-url\`, and likewise for the others. A host ignores
variables whose row does not name it.
\`npm run contract\` writes this page from \`src/config/declared-settings.ts\` and from what each host reads.
`

const tail = `## Several instances, and poolers

With \`DATABASE_URL\`, any number of instances of any host may share the database. Each instance migrates it at startup, one after the other;
\`npm run cli -- migrate\` does only that. You may put a pooler in front of the database, in session or
transaction mode. Hosts detect the mode when they start, without a setting: [deployment.md](deployment.md#poolers).
`

/** Returns docs/configuration.md, from the declared settings. */
export function configurationPage(): string {
  const sections = Object.entries<Readonly<Record<string, Setting<unknown>>>>(settingSections)
  return [head, ...sections.map(([title, settings]) => section(title, settings)), tail].join('\n')
}

const section = (title: string, settings: Readonly<Record<string, Setting<unknown>>>): string => `## ${title}

| Variable | Type | Default | Hosts | Meaning |
|---|---|---|---|---|
${Object.entries(settings).map(row).join('\n')}
`

const row = ([name, setting]: [string, Setting<unknown>]): string => {
  const { expected, isSecret, isNumbered, documentedDefault, about } = setting
  const type = `${expected.replace(/^an? /, '')}${isSecret ? ', secret' : ''}`
  return `| \`${name}${isNumbered ? '__0' : ''}\` | ${type} | ${documentedDefault} | ${hostsReading(name)} | ${about} |`
}

function hostsReading(name: string): string {
  const hosts = Object.keys(readBy).filter((host) => readBy[host]?.has(name))
  return hosts.length === Object.keys(readBy).length ? 'all' : hosts.join(', ')
}

/** Runs the functions that read a host's settings, and records the names that they read. */
function namesReadBy(...readers: readonly ((settings: Settings) => unknown)[]): ReadonlySet<string> {
  const names = new Set<string>()
  const record = <Name extends SettingName>(name: Name): ValueOf<Name> => {
    names.add(name)
    const setting = declaredSettings[name] as Setting<ValueOf<Name>>
    return setting.defaultValue
  }
  const recorder: Settings = { get: record, getFor: record, ids: () => ['id'], addProblem: () => undefined }
  for (const read of readers) read(recorder)
  return names
}

// `src/cli/start.ts` reads these two settings for the hosts that it starts.
const readDrainSeconds = (settings: Settings) => settings.get('DRAIN_SECONDS')
const readProcesses = (settings: Settings) => settings.get('PROCESSES')

const readBy: Readonly<Record<string, ReadonlySet<string>>> = {
  rest: namesReadBy(readDrainSeconds, readProcesses, readStoreSettings, readRestSettings),
  identity: namesReadBy(readDrainSeconds, readProcesses, readStoreSettings, readIdentitySettings),
  commands: namesReadBy(readDrainSeconds, readProcesses, readStoreSettings, readCommandSettings),
  web: namesReadBy(readDrainSeconds, readWebSettings),
  bank: namesReadBy(readDrainSeconds, readStoreSettings, readBankSettings),
}
