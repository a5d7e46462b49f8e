import type pg from 'pg'
import { storeTasks } from '../../db/stores.ts'

/** The part of a driver's connection that copying needs. */
interface Wire {
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

/** Passes on each piece of `copy … to stdout`, and reads no further until it is processed. Returns the number of rows. */
export function copyOut(
  client: pg.Client,
  statement: string,
  take: (piece: Buffer) => Promise<void> | undefined,
): Promise<number> {
  return copying(client, statement, (fail) => ({
    handleCopyData({ chunk }: { chunk: Buffer }, { stream }: Wire) {
      // Copied, because the driver reads the next response into the same memory.
      const taken = take(Buffer.from(chunk))
      if (taken === undefined) return
      stream.pause()
      taken.then(() => stream.resume(), fail)
    },
  }))
}

/** Sends the pieces to `copy … from stdin`, as fast as PostgreSQL accepts them. Returns the number of rows. */
export function copyIn(client: pg.Client, statement: string, pieces: AsyncIterable<Buffer>): Promise<number> {
  let isDone = false
  const send = async (wire: Wire) => {
    try {
      for await (const piece of pieces) {
        if (isDone) return
        wire.sendCopyFromChunk(piece)
        if (wire.stream.writableNeedDrain) await drained(wire)
      }
      wire.endCopyFrom()
    } catch (error) {
      wire.sendCopyFail((error as Error).message)
    }
  }
  const copied = copying(client, statement, () => ({ handleCopyInResponse: (wire: Wire) => void send(wire) }))
  return copied.finally(() => {
    isDone = true
  })
}

function copying(
  client: pg.Client,
  statement: string,
  own: (fail: (error: Error) => void) => object,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let rows = 0
    const fail = (error: Error) => {
      reject(error)
      // The remaining response is never read.
      void client.end().catch(() => undefined)
    }
    client.query({
      submit: (wire: unknown) => (wire as Wire).query(statement),
      handleRowDescription: () => undefined,
      handleDataRow: () => undefined,
      handleCopyData: () => undefined,
      handleCommandComplete({ text }: { text: string }) {
        rows = Number(/\d+$/.exec(text)?.[0])
      },
      handleReadyForQuery: () => resolve(rows),
      handleError: reject,
      ...own(fail),
    } as pg.Submittable)
  })
}

/** A closing connection never drains: the next statement reports the error. */
const drained = ({ stream }: Wire) =>
  new Promise<void>((resolve) => {
    const done = () => {
      stream.off('drain', done)
      stream.off('close', done)
      resolve()
    }
    stream.on('drain', done)
    stream.on('close', done)
  })

/** A table whose rows are backed up, as the catalog describes it. */
export interface StoredTable {
  /** Includes the schema: `bank.ledger`. */
  readonly name: string
  readonly columns: readonly string[]
  /** The partitions of a partitioned table, which hold its rows. */
  readonly partitions: readonly Partition[]
}

export interface Partition {
  readonly name: string
  /** Written as PostgreSQL does: FOR VALUES FROM (…) TO (…). */
  readonly bound: string
}

/** These tables are filled by the migrations and the store. */
const recreated: readonly string[] = ['migrations', ...storeTasks.ownTables].map((name) => `public.${name}`)

/**
 * Every table of the program's schemas, each after those it refers to. Transaction ids are left out: another server counts its
 * own.
 */
export async function readStoredTables(client: pg.Client): Promise<readonly StoredTable[]> {
  const { rows } = await client.query<StoredTable & { after: string[] }>(`
    select n.nspname || '.' || c.relname as name,
      (select array_agg(attname::text order by attnum) from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' and atttypid <> 'xid8'::regtype
      ) as columns,
      coalesce((select json_agg(json_build_object('name', pn.nspname || '.' || p.relname, 'bound', pg_get_expr(p.relpartbound, p.oid)))
        from pg_inherits join pg_class as p on p.oid = inhrelid join pg_namespace as pn on pn.oid = p.relnamespace
        where inhparent = c.oid and c.relkind = 'p'), '[]') as partitions,
      array(select distinct fn.nspname || '.' || f.relname from pg_constraint
        join pg_class as f on f.oid = confrelid join pg_namespace as fn on fn.oid = f.relnamespace
        where conrelid = c.oid and contype = 'f' and confrelid <> c.oid) as after
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition and n.nspname in ('public', 'bank')
      and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
    order by 1`)
  return ordered(rows.filter(({ name }) => !recreated.includes(name))).map(({ after: _, ...table }) => table)
}

function ordered<Table extends { name: string; after: readonly string[] }>(
  tables: readonly Table[],
): Table[] {
  const done: Table[] = []
  let left = tables
  while (left.length > 0) {
    const names = new Set(left.map(({ name }) => name))
    const ready = left.filter(({ after }) => !after.some((name) => names.has(name)))
    if (ready.length === 0) throw new Error(`The tables ${[...names].join(', ')} refer to each other.`)
    done.push(...ready)
    left = left.filter((table) => !ready.includes(table))
  }
  return done
}

export interface Sequence {
  readonly table: string
  readonly column: string
  readonly next: string
}

/** The sequences of the database, each with its next value. */
export async function readSequences(client: pg.Client): Promise<readonly Sequence[]> {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(`
    select n.nspname || '.' || c.relname as table, attname as column,
      pg_get_serial_sequence(format('%I.%I', n.nspname, c.relname), attname) as sequence
    from pg_attribute join pg_class as c on c.oid = attrelid join pg_namespace as n on n.oid = relnamespace
    where nspname in ('public', 'bank') and attnum > 0 and not attisdropped and relkind in ('r', 'p')
      and pg_get_serial_sequence(format('%I.%I', n.nspname, c.relname), attname) is not null`)
  const sequences: Sequence[] = []
  for (const { sequence, ...owner } of rows) {
    const found = await client.query<{ next: string }>(
      `select (last_value + is_called::int)::text as next from ${sequence}`,
    )
    sequences.push({ ...owner, next: found.rows[0]?.next ?? '1' })
  }
  return sequences
}
