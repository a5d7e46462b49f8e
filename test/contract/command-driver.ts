import { violationsIn } from '../support/assertions.ts'
import { type CommandAnswer, openCommandCalls } from '../support/command-calls.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import type { Caller, Driver, Input, Kind, Outcome, Query, Row } from './driver.ts'
import { commonFields, type Entity, entities, pascalCase, resources } from './resources.ts'
import { serializeTimestamp, timestampOf } from './timestamps.ts'

/** Sends commands over gRPC with a stock client that knows nothing but the published .proto file. */
export const commandDriver: Driver = {
  name: 'gRPC',
  hasTypedFields: true,
  hasNamedKeys: false,
  async start() {
    const host = await startCommandsUnderTest()
    const calls = openCommandCalls(host.target)
    const timestampFields = new Set(
      entities
        .flatMap((entity) => [...calls.fieldsOf(`Update${pascalCase(entity)}Command`)])
        .flatMap(([name, type]) => (type.includes('Timestamp') ? [name] : [])),
    )
    const ask = async (entity: Entity, name: string, as: Caller, request: object) =>
      outcomeOf(entity, await calls.call(name, request, { token: as?.token }))
    const messageOf = (input: Input) =>
      Object.fromEntries(
        Object.entries(input)
          .filter(([, value]) => value !== null)
          .map(([name, value]) => [name, timestampFields.has(name) ? timestampOf(value) : value]),
      )
    return {
      create: (entity, input, as) => ask(entity, `Create${pascalCase(entity)}`, as, messageOf(input)),
      get: (entity, id, as) => ask(entity, `Get${pascalCase(entity)}ById`, as, { id }),
      list: (entity, query, as) =>
        ask(entity, `List${pascalCase(resources[entity].list)}`, as, { pagination: paginationOf(query) }),
      update: (entity, input, as) => ask(entity, `Update${pascalCase(entity)}`, as, messageOf(input)),
      remove: (entity, ids, as) => ask(entity, `Remove${pascalCase(entity)}`, as, { ids }),
      signUp: host.signUp,
      administrator: host.administrator,
      database: host.database,
      async stop() {
        calls.close()
        await host.stop()
      },
    }
  },
}

const numbers = new Set(['pageNumber', 'pageSize'])

export const paginationOf = (query: Query) =>
  Object.fromEntries(
    Object.entries(query).map(([key, value]) => [key, numbers.has(key) ? value : String(value)]),
  )

const kindsByCode: Readonly<Record<number, readonly Kind[]>> = {
  3: ['invalid'],
  16: ['unauthenticated'],
  7: ['forbidden'],
  6: ['duplicate'],
  9: ['inUse'],
  10: ['retry'],
}

export function outcomeOf(entity: Entity, { code, details, metadata, result }: CommandAnswer): Outcome {
  if (code !== 0) {
    return { kinds: kindsByCode[code] ?? [], message: details, errors: violationsIn(metadata) }
  }
  const { success, message, [entity]: record, result: page } = result
  return {
    kinds: success ? ['ok'] : ['missing', 'stale'],
    message: message ?? '',
    errors: {},
    ...(record && { record: rowOf(entity, record) }),
    ...(page && { page: { ...page, data: page.data.map((row: Row) => rowOf(entity, row)) } }),
  }
}

/** Converts a record to the form of REST. An absent field becomes null, and a timestamp becomes text. */
const rowOf = (entity: Entity, record: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    [...commonFields, ...resources[entity].own].map((name) => [
      name,
      serializeTimestamp(record[name] ?? null),
    ]),
  ) as Row
