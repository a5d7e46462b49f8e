import { entities, pascalCase, resources } from '../contract/resources.ts'

const someId = '0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b58'

/** One good request for each command on a resource, by the name of the command. */
export const commandRequests = (): readonly (readonly [string, object])[] =>
  entities.flatMap((entity) => {
    const { references, sample } = resources[entity]
    const ids = Object.fromEntries(Object.keys(references).map((name) => [name, someId]))
    const values = momentsOf({ ...sample, ...ids, ...(entity === 'user' && { login: 'grace' }) })
    const name = pascalCase(entity)
    return [
      [`Create${name}`, values],
      [`Get${name}ById`, { id: someId }],
      [`List${name}s`, { pagination: {} }],
      [`Update${name}`, { id: someId, ...values }],
      [`Remove${name}`, { ids: [someId] }],
    ] as const
  })

/** Commands take timestamps as protobuf messages have them. */
const momentsOf = (values: object): object =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      /Date$/.test(name) ? { seconds: String(Date.parse(value) / 1000), nanos: 0 } : value,
    ]),
  )
