import { resources as declared } from '../../src/resources/all.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { openDotnetCalls } from '../support/dotnet-calls.ts'
import { timestamp } from '../support/message-pack-encoder.ts'
import { outcomeOf, paginationOf } from './command-driver.ts'
import type { Caller, Driver, Input } from './driver.ts'
import { type Entity, pascalCase, resources } from './resources.ts'
import { timestampOf } from './timestamps.ts'

/** Sends commands as .NET clients do, with the encoder of the tests. */
export const dotnetDriver: Driver = {
  name: '.NET',
  hasTypedFields: true,
  hasNamedKeys: true,
  async start() {
    const host = await startCommandsUnderTest()
    const calls = openDotnetCalls(host.target)
    const ask = async (entity: Entity, name: string, as: Caller, fields: Input) => {
      const answer = await calls.call(pascalCase(entity), `${name}Command`, swapKeyCases(fields), {
        token: as?.token,
      })
      const result = answer.result === undefined ? undefined : swapKeyCases(answer.result)
      return outcomeOf(entity, { ...answer, result: withTotalPages(result) })
    }
    return {
      create: (entity, input, as) => ask(entity, `Create${pascalCase(entity)}`, as, messageOf(entity, input)),
      get: (entity, id, as) => ask(entity, `Get${pascalCase(entity)}ById`, as, { id }),
      list: (entity, query, as) =>
        ask(entity, `List${pascalCase(resources[entity].list)}`, as, { pagination: paginationOf(query) }),
      update: (entity, input, as) => ask(entity, `Update${pascalCase(entity)}`, as, messageOf(entity, input)),
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

const timestampFields = new Set(
  declared.flatMap(({ fields }) => Object.keys(fields).filter((name) => fields[name]?.wire === 'timestamp')),
)

/** Adds nil for each field that the input omits, because .NET clients send every field of a class. */
const messageOf = (entity: Entity, input: Input): Input => ({
  ...Object.fromEntries(resources[entity].own.map((name) => [name, null])),
  ...Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      timestampFields.has(name) ? timestampIn(value) : value,
    ]),
  ),
})

function timestampIn(value: unknown): Buffer | null {
  const instant = timestampOf(value)
  if (instant === undefined) return null
  // `timestampOf` marks an invalid text by negative nanoseconds. MessagePack cannot encode these, so the
  // client sends too many nanoseconds instead.
  if (instant.nanos < 0) return timestamp(64, 0n, 1_000_000_000n)
  return timestamp(96, BigInt(instant.seconds), BigInt(instant.nanos))
}

/** Swaps the case of each key's first letter, which converts camelCase to PascalCase and back. */
// biome-ignore lint/suspicious/noExplicitAny: a result comes from the network
function swapKeyCases(value: unknown): any {
  if (Array.isArray(value)) return value.map(swapKeyCases)
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [swapFirstLetter(key), swapKeyCases(item)]),
  )
}

function swapFirstLetter(key: string): string {
  const first = key.charAt(0)
  return (first === first.toUpperCase() ? first.toLowerCase() : first.toUpperCase()) + key.slice(1)
}

/** The .NET response has no `totalPages`: clients calculate it. */
function withTotalPages(response?: { result?: { totalCount: number; pageSize: number } | null }) {
  if (!response?.result) return response
  const { totalCount, pageSize } = response.result
  return { ...response, result: { ...response.result, totalPages: Math.ceil(totalCount / pageSize) } }
}
