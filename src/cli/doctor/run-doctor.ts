import { existsSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { type Environment, readSettings, SettingsError, unknownSettings } from '../../config/settings.ts'
import { readStoreSettings } from '../../config/store-settings.ts'
import { runningStoreUrl } from '../../db/embedded/start-embedded-store.ts'
import { isLostConnection } from '../../db/failures.ts'
import { describePooler, detectPooler } from '../../db/poolers.ts'
import { storeTasks } from '../../db/stores.ts'
import { readIdentitySettings } from '../../hosts/identity/configuration.ts'
import { selectHosts } from '../hosts.ts'
import { adviceOn, error, errorText, type Finding, ok, warning } from './advice.ts'
import { checkAddresses, checkDirectory, checkPorts, checkProcesses } from './check-machine.ts'
import {
  type CheckedStore,
  checkActivity,
  checkArchive,
  checkClock,
  checkConnections,
  checkLargeObjects,
  checkLocalDisk,
  checkReadStandbys,
  checkSchema,
  checkServer,
  checkUnusedSlots,
  createDatabaseClient,
} from './check-server.ts'
import { checkAdministrators, checkBackup, checkInstances, checkKeys } from './check-store-state.ts'

const severityWidth = 9
const subjectWidth = 16

/** `npm run doctor`: checks the installation without changing it. The exit code is 1 if it finds an error. */
export async function runDoctor(): Promise<void> {
  const findings = await collectFindings(process.env)
  for (const { severity, subject, result, advice } of findings) {
    console.log(`${severity.padEnd(severityWidth)}${subject.padEnd(subjectWidth)}${result}`)
    if (advice !== undefined) console.log(`${' '.repeat(severityWidth + subjectWidth)}${advice}`)
  }
  const count = findings.filter(({ severity }) => severity === 'error').length
  console.log(`\n${count || 'No'} ${count === 1 ? 'error' : 'errors'}.`)
  if (count > 0) process.exitCode = 1
}

/** Stops after the configuration if it has an error, because every other check needs its settings. */
export async function collectFindings(environment: Environment): Promise<readonly Finding[]> {
  const configuration = checkConfiguration(environment)
  const node = checkNode(process.versions.node)
  if (configuration.severity === 'error') return [configuration, node]
  const settings = readSettings(environment, readStoreSettings)
  const { databaseUrl, dataDirectory } = settings
  const url = databaseUrl ?? runningStoreUrl(dataDirectory)
  const groups = await Promise.all([
    checkDirectory(settings),
    url === undefined ? [embeddedStoreNotRunning(dataDirectory)] : checkStore(url, environment),
    checkReadStandbys(settings.readUrls, url),
    checkAddresses(environment),
    checkPorts(environment),
    checkProcesses(settings),
  ])
  return [configuration, node, ...groups.flat()]
}

function checkConfiguration(environment: Environment): Finding {
  try {
    readSettings(environment, (settings) => {
      readStoreSettings(settings)
      for (const host of selectHosts([])) host.prepare(settings)
    })
    const unknown = unknownSettings(environment)
    if (unknown.length > 0)
      return warning('configuration', unknown.join(' '), 'docs/configuration.md lists every variable.')
    return ok('configuration', 'every variable is valid')
  } catch (cause) {
    if (!(cause instanceof SettingsError)) throw cause
    return error(
      'configuration',
      cause.problems.join(' '),
      'docs/configuration.md lists every variable and its default.',
    )
  }
}

/** The oldest major version that this program supports. */
const nodeMajorMin = 24

function checkNode(version: string): Finding {
  if (Number(version.split('.')[0]) >= nodeMajorMin) return ok('node', version)
  return error('node', version, `Start with npm, which uses Node ${nodeMajorMin} from the packages.`)
}

const embeddedStoreNotRunning = (dataDirectory: string): Finding =>
  existsSync(join(dataDirectory, 'postgres'))
    ? warning(
        'store',
        `the embedded PostgreSQL in ${dataDirectory} is not running`,
        'Run npm start, then run the doctor again.',
      )
    : warning(
        'store',
        `there is no store in ${dataDirectory} yet`,
        'npm start creates one; or set DATABASE_URL. The web host needs no store.',
      )

/** Checks the store, as far as the role in the URL has the privileges to do so. */
export async function checkStore(url: string, environment: Environment): Promise<readonly Finding[]> {
  const settings = readSettings(environment, readIdentitySettings)
  const client = createDatabaseClient(url)
  try {
    await client.connect()
    // This query also checks the connection, because a pooler accepts connections even if it cannot reach the
    // server.
    const tables = await readTableStates(client)
    return await runChecks({ client, url, settings }, tables)
  } catch (cause) {
    return [error('store', `cannot be reached: ${errorText(cause)}`, adviceOnStore(cause))]
  } finally {
    await client.end().catch(() => undefined)
  }
}

const adviceOnStore = (cause: unknown): string => adviceOn(cause) ?? 'Check the log of the store.'

/** A failed statement becomes a finding. After a lost or stuck connection, no more checks run. */
async function runChecks(target: CheckedStore, tables: TableStates): Promise<readonly Finding[]> {
  const subjectsThatRead = (state: TableState) =>
    Object.keys(checks).filter((subject) =>
      checks[subject]?.reads?.some((name) => tables.get(name) === state),
    )
  const missing = subjectsThatRead('missing')
  const hidden = subjectsThatRead('hidden')
  const findings: Finding[] = []
  for (const [subject, { check }] of Object.entries(checks)) {
    if (missing.includes(subject) || hidden.includes(subject)) continue
    try {
      findings.push(...[await check(target)].flat())
    } catch (cause) {
      findings.push(error(subject, errorText(cause), adviceOnStore(cause)))
      if (!(cause instanceof pg.DatabaseError) || isLostConnection(cause)) break
    }
  }
  return [
    ...findings,
    ...missing.map(beforeMigration),
    ...(hidden.length === 0 ? [] : [hiddenFrom(target.client.user, hidden)]),
  ]
}

const beforeMigration = (subject: string): Finding =>
  warning(
    subject,
    'cannot be determined before the next migration',
    '`npm run cli -- prepare`, or the next start as the owner of the schema, applies it.',
  )

/** A warning, because the role of a host has only the privileges that its host needs. */
const hiddenFrom = (role: string | undefined, subjects: readonly string[]): Finding =>
  warning(
    'rights',
    `the role ${role} may not read: ${subjects.join(', ')}`,
    'Run the doctor with the DATABASE_URL of the identity host, or of the role that migrates, too.',
  )

interface Check {
  /** The tables that the check reads. The check is skipped if a table is missing, or if the role may not read it. */
  readonly reads?: readonly string[]
  readonly check: (target: CheckedStore) => Promise<Finding | readonly Finding[]>
}

/** The checks by the subject of their findings, in the order in which they are printed. */
const checks: Readonly<Record<string, Check>> = {
  store: { check: checkServer },
  schema: { check: checkSchema },
  clock: { check: checkClock },
  instances: { reads: ['instances'], check: ({ client }) => checkInstances(client) },
  connections: { check: checkConnections },
  activity: { check: checkActivity },
  replication: { check: checkUnusedSlots },
  // Only a sharded store has nodes. For any other, this returns no finding.
  nodes: { check: ({ client }) => storeTasks.checkNodes(client) },
  'large objects': { check: checkLargeObjects },
  archive: { check: checkArchive },
  backup: { reads: ['latest_backup'], check: ({ client }) => checkBackup(client) },
  disk: { check: checkLocalDisk },
  keys: { reads: ['identity_keys'], check: ({ client, settings }) => checkKeys(client, settings) },
  administrators: {
    reads: ['users', 'administrators', 'seeded_account', 'deactivated_accounts'],
    check: ({ client, settings }) => checkAdministrators(client, settings),
  },
  pooler: { check: checkPooler },
}

type TableState = 'readable' | 'hidden' | 'missing'
type TableStates = ReadonlyMap<string, TableState>

/** Returns which tables the role may read. Reading the others would leave errors in the server's log. */
async function readTableStates(client: pg.Client): Promise<TableStates> {
  const tables = Object.values(checks).flatMap(({ reads = [] }) => reads)
  const { rows } = await client.query<{ name: string; isReadable: boolean | null }>(
    `select name, has_table_privilege(oid, 'select') and has_schema_privilege(relnamespace, 'usage') as "isReadable"
     from unnest($1::text[]) as name left join pg_class on relname = name and relnamespace = 'public'::regnamespace`,
    [tables],
  )
  const stateOf = (isReadable: boolean | null) => (isReadable ? 'readable' : 'hidden')
  return new Map(
    rows.map(({ name, isReadable }) => [name, isReadable === null ? 'missing' : stateOf(isReadable)]),
  )
}

/** Returns no finding for a direct connection. */
async function checkPooler({ url }: CheckedStore): Promise<readonly Finding[]> {
  const pooler = await detectPooler(url, poolerMilliseconds)
  if (pooler === undefined) return []
  const result = describePooler(pooler)
  if (pooler.supportsNamedStatements) return [ok('pooler', result)]
  return [
    warning(
      'pooler',
      result,
      'It works, and costs the database time: use pgbouncer 1.21 or newer with max_prepared_statements.',
    ),
  ]
}

/** Short, because a person waits for the findings. */
const poolerMilliseconds = 5000
