import { createHash, randomUUID, scrypt } from 'node:crypto'
import { hostname } from 'node:os'
import { promisify } from 'node:util'
import { repeat } from '../model/repeat.ts'
import type { Database, Queries } from './database.ts'
import { raw, type Sql, sql } from './sql.ts'

/** The values of settings that running instances must have in common, by their names. */
export type SharedSettings = Readonly<Record<string, unknown>>

/** The hosts of the tracker. The bank has a database role without access to this table. */
export type InstanceHost = 'rest' | 'identity' | 'commands'

export interface InstanceOptions {
  readonly database: Database
  readonly host: InstanceHost
  readonly settings: SharedSettings
  /** Settings that contain secrets. */
  readonly secretSettings?: SharedSettings
  readonly log: InstanceLog
  readonly clients?: KnownClients
  /** Epoch milliseconds. The store's clock unless a test passes its own. */
  readonly now?: (() => number) | undefined
}

/** The OAuth clients that are configured on an identity host. */
export interface KnownClients {
  ids(): readonly string[]
  /**
   * Called in the transaction that records this instance. Transactions of other instances wait until it ends.
   */
  record(transaction: Queries, times: InstanceClock & { readonly isStart: boolean }): Promise<void>
}

export interface InstanceClock {
  readonly clock: Sql
  /** An instance that was last seen before this time is gone. */
  readonly goneBefore: Sql
}

/** The part of a log that this file needs. */
export interface InstanceLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

export interface Instances {
  /** Records this instance now, and regularly from then on. */
  join(): Promise<void>
  /** Runs the regular work now. */
  refresh(): Promise<void>
  /** The number of running instances with another value than this instance, by the name of the setting. */
  disagreements(): ReadonlyMap<string, number>
  /** Epoch milliseconds of the newest verified backup. Undefined if none was recorded. */
  backupAt(): number | undefined
  leave(): Promise<void>
}

export interface RunningInstance {
  readonly host: string
  readonly machine: string
  readonly process: number
  /** Hashes by the names of settings. */
  readonly settings: Readonly<Record<string, string>>
  readonly clients: readonly string[]
}

const refreshMilliseconds = 10_000
/**
 * Longer than several refreshes. Also longer than the restart of an identity host, so that its OAuth clients stay
 * valid meanwhile.
 */
const goneAfterSeconds = 60
/** The number of the advisory lock. It is arbitrary, but the same in all instances. */
const instancesLock = 7_251_405_120

/**
 * Watches which instances run on the store. Instances with other settings would reject each other's tokens or
 * purge each other's data. A difference is logged and measured, but stops nothing, because operators change
 * settings instance by instance.
 */
export function openInstances(options: InstanceOptions): Instances {
  const { database, log } = options
  const id = randomUUID()
  let settings: RunningInstance['settings'] | undefined
  let state: InstanceState = { others: [], backupAt: null }
  let disagreements: ReadonlyMap<string, number> = new Map()
  const refresh = async () => {
    const isStart = settings === undefined
    settings ??= { ...hashesOf(options.settings), ...(await slowHashesOf(options.secretSettings ?? {})) }
    const instance = { id, settings, isStart }
    state = await database.transaction((transaction) => recordInstance(transaction, instance, options))
    const before = disagreements
    disagreements = countDisagreements(settings, state.others)
    logChange(log, settings, { before, after: disagreements, others: state.others })
  }
  const onFailure = (err: unknown) => log.warn({ err }, 'The running instances could not be recorded.')
  let repeated: ReturnType<typeof repeat> | undefined
  return {
    refresh,
    async join() {
      // If this fails, a host that has no OAuth clients to record still starts, because it can serve reads while
      // its store takes no writes.
      await (options.clients ? refresh() : refresh().catch(onFailure))
      repeated = repeat({ everyMilliseconds: refreshMilliseconds, onFailure }, refresh)
    },
    disagreements: () => disagreements,
    backupAt: () => state.backupAt ?? undefined,
    async leave() {
      await repeated?.stop()
      const { clock } = clockOf(options.now)
      const update = sql`update instances set seen_at = ${clock}, stopped_at = ${clock} where id = ${id}`
      // If this fails, other instances still notice the end, only later.
      await database.transaction((transaction) => transaction.query(update)).catch(onFailure)
    },
  }
}

interface InstanceState {
  readonly others: readonly RunningInstance[]
  readonly backupAt: number | null
}

interface OwnInstance {
  readonly id: string
  readonly settings: RunningInstance['settings']
  readonly isStart: boolean
}

async function recordInstance(
  transaction: Queries,
  { id, settings, isStart }: OwnInstance,
  { host, clients, now }: InstanceOptions,
): Promise<InstanceState> {
  const times = clockOf(now)
  // Without the lock, an instance could retire a client that is known to an instance that is just starting.
  if (clients) await transaction.query(sql`select from pg_advisory_xact_lock(${instancesLock}::bigint)`)
  await transaction.query(sql`
    insert into instances (id, host, machine, process, settings, clients, started_at, seen_at)
    values (${id}, ${host}, ${hostname().slice(0, 300)}, ${process.pid}, ${JSON.stringify(settings)}::jsonb,
      ${clients?.ids() ?? []}::text[], ${times.clock}, ${times.clock})
    on conflict (id) do update set seen_at = excluded.seen_at, clients = excluded.clients`)
  await clients?.record(transaction, { ...times, isStart })
  const others = await transaction.query<RunningInstance>(sql`
    select host, machine, process, settings, clients from instances
    where id <> ${id} and ${isRunning(times)} order by host, machine, process`)
  const [backup] = await transaction.query<{ at: number }>(backupTime)
  return { others, backupAt: backup?.at ?? null }
}

const backupTime = sql`select (extract(epoch from made_at) * 1000)::float8 as at from latest_backup`

const isRunning = ({ goneBefore }: Pick<InstanceClock, 'goneBefore'>): Sql =>
  sql`stopped_at is null and seen_at > ${goneBefore}`

function clockOf(now: (() => number) | undefined): InstanceClock {
  const clock = now === undefined ? raw('now()') : sql`${new Date(now()).toISOString()}::timestamptz`
  return { clock, goneBefore: sql`${clock} - make_interval(secs => ${goneAfterSeconds}::int)` }
}

/** Selects the running instances, for `npm run doctor`. */
export const selectRunningInstances: Sql = sql`
  select host, machine, process, settings, clients from instances
  where ${isRunning(clockOf(undefined))} order by host, machine, process`

export const describeInstance = ({ host, machine, process }: RunningInstance): string =>
  `${host} on ${machine} (process ${process})`

function countDisagreements(
  own: RunningInstance['settings'],
  others: readonly RunningInstance[],
): ReadonlyMap<string, number> {
  const counts = Object.keys(own).map((name): [string, number] => [
    name,
    others.filter(({ settings }) => differs(settings[name], own[name])).length,
  ])
  return new Map(counts.filter(([, count]) => count > 0))
}

/** A host that does not use a setting has no hash of it. */
const differs = (hash: string | undefined, own: string | undefined): boolean =>
  hash !== undefined && own !== undefined && hash !== own

/** Returns, for each setting on which instances disagree, the instances grouped by its value. */
export function findDisagreements(
  instances: readonly RunningInstance[],
): ReadonlyMap<string, readonly (readonly RunningInstance[])[]> {
  const names = new Set(instances.flatMap(({ settings }) => Object.keys(settings)))
  const groups = [...names].map((name): [string, RunningInstance[][]] => {
    const using = instances.filter(({ settings }) => settings[name] !== undefined)
    return [
      name,
      Object.values(Object.groupBy(using, ({ settings }) => settings[name] ?? '')) as RunningInstance[][],
    ]
  })
  return new Map(groups.filter(([, values]) => values.length > 1))
}

function logChange(
  log: InstanceLog,
  own: RunningInstance['settings'],
  { before, after, others }: DisagreementChange,
): void {
  const names = [...after.keys()]
  if (names.join() === [...before.keys()].join()) return
  if (names.length === 0) {
    log.info({}, 'All running instances have the same settings again.')
    return
  }
  const different = others.filter(({ settings }) => names.some((name) => differs(settings[name], own[name])))
  log.warn(
    { settings: names, instances: different.map(describeInstance) },
    'Running instances have other settings than this one.',
  )
}

interface DisagreementChange {
  readonly before: ReadonlyMap<string, number>
  readonly after: ReadonlyMap<string, number>
  readonly others: readonly RunningInstance[]
}

const hashCharacters = 16

const hashesOf = (settings: SharedSettings): Record<string, string> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      createHash('sha256').update(textOf(value)).digest('hex').slice(0, hashCharacters),
    ]),
  )

const textOf = (value: unknown): string => JSON.stringify(value ?? null)

/** Guessing a secret by its hash must be slow, because the roles of all hosts can read the hash. */
async function slowHashesOf(settings: SharedSettings): Promise<Record<string, string>> {
  const hashes = Object.entries(settings).map(async ([name, value]) => {
    const hash = (await promisify(scrypt)(textOf(value), name, hashCharacters / 2)) as Buffer
    return [name, hash.toString('hex')] as const
  })
  return Object.fromEntries(await Promise.all(hashes))
}
