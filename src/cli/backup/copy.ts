import pg from 'pg'
import { storeTasks } from '../../db/stores.ts'

/** The internal methods of a `pg` connection that COPY needs. The types of `pg` do not declare them. */
interface CopyConnection {
  readonly stream: NodeJS.EventEmitter & {
    pause(): void
    resume(): void
    readonly writableNeedDrain: boolean
  }
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
}

/** Awaits `onPiece` for each piece of `copy … to stdout`. Returns the number of rows. */
export function copyOut(
  client: pg.Client,
  statement: string,
  onPiece: (piece: Buffer) => Promise<void> | undefined,
): Promise<number> {
  return runCopy(client, statement, (fail) => ({
    handleCopyData({ chunk }: { chunk: Buffer }, { stream }: CopyConnection) {
      // A copy, because the driver reads the next response into the same memory.
      const processed = onPiece(Buffer.from(chunk))
      if (processed === undefined) return
      stream.pause()
      processed.then(() => stream.resume(), fail)
    },
  }))
}

/** Sends the pieces to `copy … from stdin` as fast as PostgreSQL accepts them. Returns the row count. */
export function copyIn(client: pg.Client, statement: string, pieces: AsyncIterable<Buffer>): Promise<number> {
  let isDone = false
  const send = async (connection: CopyConnection) => {
    try {
      for await (const piece of pieces) {
        if (isDone) return
        connection.sendCopyFromChunk(piece)
        if (connection.stream.writableNeedDrain) await waitForDrain(connection)
      }
      connection.endCopyFrom()
    } catch (error) {
      connection.sendCopyFail((error as Error).message)
    }
  }
  const copied = runCopy(client, statement, () => ({
    handleCopyInResponse: (connection: CopyConnection) => void send(connection),
  }))
  return copied.finally(() => {
    isDone = true
  })
}

function runCopy(
  client: pg.Client,
  statement: string,
  createHandlers: (fail: (error: Error) => void) => object,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let rows = 0
    const fail = (error: Error) => {
      reject(error)
      // The rest of the response is still arriving, so the connection cannot be used any more.
      void client.end().catch(() => undefined)
    }
    client.query({
      submit: (connection: unknown) => (connection as CopyConnection).query(statement),
      handleRowDescription: () => undefined,
      handleDataRow: () => undefined,
      handleCopyData: () => undefined,
      handleCommandComplete({ text }: { text: string }) {
        rows = Number(/\d+$/.exec(text)?.[0])
      },
      handleReadyForQuery: () => resolve(rows),
      handleError: reject,
      ...createHandlers(fail),
    } as pg.Submittable)
  })
}

/** Also resolves if the connection closes, because it never drains then. The next statement reports the error. */
const waitForDrain = ({ stream }: CopyConnection) =>
  new Promise<void>((resolve) => {
    const done = () => {
      stream.off('drain', done)
      stream.off('close', done)
      resolve()
    }
    stream.on('drain', done)
    stream.on('close', done)
  })

/** A table whose rows are backed up, as described by the catalog of PostgreSQL. */
export interface StoredTable {
  /** Includes the schema: `bank.ledger`. */
  readonly name: string
  readonly columns: readonly string[]
  /** The partitions of a partitioned table, which hold its rows. */
  readonly partitions: readonly Partition[]
}

export interface Partition {
  readonly name: string
  /** The bound in the syntax of PostgreSQL: FOR VALUES FROM (…) TO (…). */
  readonly bound: string
}

/** Tables that are not backed up, because migrations or the sharded store fill them. */
const recreatedTables: readonly string[] = ['migrations', ...storeTasks.ownTables].map(
  (name) => `public.${name}`,
)

/**
 * Returns every table of the program, after the tables to which it refers. Columns of transaction ids are
 * omitted, because the ids are valid on one server only.
 */
export async function readStoredTables(client: pg.Client): Promise<readonly StoredTable[]> {
  const { rows } = await client.query<StoredTable & { references: string[] }>(`
    select n.nspname || '.' || c.relname as name,
      (select array_agg(attname::text order by attnum) from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' and atttypid <> 'xid8'::regtype
      ) as columns,
      coalesce((select json_agg(json_build_object('name', pn.nspname || '.' || p.relname, 'bound', pg_get_expr(p.relpartbound, p.oid)))
        from pg_inherits join pg_class as p on p.oid = inhrelid join pg_namespace as pn on pn.oid = p.relnamespace
        where inhparent = c.oid and c.relkind = 'p'), '[]') as partitions,
      array(select distinct fn.nspname || '.' || f.relname from pg_constraint
        join pg_class as f on f.oid = confrelid join pg_namespace as fn on fn.oid = f.relnamespace
        where conrelid = c.oid and contype = 'f' and confrelid <> c.oid) as references
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition and n.nspname in ('public', 'bank')
      and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
    order by 1`)
  return sortByReferences(rows.filter(({ name }) => !recreatedTables.includes(name))).map(
    ({ references: _, ...table }) => table,
  )
}

function sortByReferences<Table extends { name: string; references: readonly string[] }>(
  tables: readonly Table[],
): Table[] {
  const sorted: Table[] = []
  let remaining = tables
  while (remaining.length > 0) {
    const names = new Set(remaining.map(({ name }) => name))
    const ready = remaining.filter(({ references }) => !references.some((name) => names.has(name)))
    if (ready.length === 0) throw new Error(`The tables ${[...names].join(', ')} refer to each other.`)
    sorted.push(...ready)
    remaining = remaining.filter((table) => !ready.includes(table))
  }
  return sorted
}

export interface Sequence {
  readonly table: string
  readonly column: string
  readonly next: string
}

/** Returns the sequences of all columns, each with its next value. */
export async function readSequences(client: pg.Client): Promise<readonly Sequence[]> {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(`
    select n.nspname || '.' || c.relname as table, attname as column,
      pg_get_serial_sequence(format('%I.%I', n.nspname, c.relname), attname) as sequence
    from pg_attribute join pg_class as c on c.oid = attrelid join pg_namespace as n on n.oid = relnamespace
    where nspname in ('public', 'bank') and attnum > 0 and not attisdropped and relkind in ('r', 'p')
      and pg_get_serial_sequence(format('%I.%I', n.nspname, c.relname), attname) is not null`)
  const sequences: Sequence[] = []
  for (const { sequence, ...owner } of rows) {
    const result = await client.query<{ next: string }>(
      `select (last_value + is_called::int)::text as next from ${sequence}`,
    )
    sequences.push({ ...owner, next: result.rows[0]?.next ?? '1' })
  }
  return sequences
}

/** Quotes a name that may include a schema. */
export const quoteName = (name: string): string => name.split('.').map(pg.escapeIdentifier).join('.')
