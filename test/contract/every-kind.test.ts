import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { dotnetContracts } from '../../scripts/dotnet-contracts.ts'
import { commands } from '../../src/hosts/commands/main.ts'
import { sample, serveSamples, type Values, type Wire } from './every-kind.ts'

const allValues = (turn: 1 | 2): Values => ({
  Text: `turn ${turn}`,
  Uuid: `0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b5${turn}`,
  Moment: `2026-03-0${turn}T09:00:00.123456Z`,
  Number: turn - 0.75,
  WholeNumber: turn + 2,
})

const kinds = Object.keys(allValues(1))

/** The values of one presence: earlyText, earlyUuid and so on. */
const valuesOf = (presence: string, turn: 1 | 2): Values =>
  Object.fromEntries(Object.entries(allValues(turn)).map(([kind, value]) => [presence + kind, value]))
const nullsOf = (presence: string): Values => Object.fromEntries(kinds.map((kind) => [presence + kind, null]))
const namesOf = (presence: string): string[] => Object.keys(nullsOf(presence))

const given = (turn: 1 | 2): Values => ({ ...valuesOf('required', turn), ...valuesOf('once', turn) })
const everything = (turn: 1 | 2): Values => ({
  ...given(turn),
  ...valuesOf('early', turn),
  ...valuesOf('optional', turn),
})

describe('Every kind of field with every presence', () => {
  let served: Awaited<ReturnType<typeof serveSamples>>
  before(async () => {
    served = await serveSamples()
  })
  after(() => served.stop())

  const names: readonly Wire['name'][] = ['REST', 'gRPC', '.NET']
  const wireNamed = (name: Wire['name']) => served.wires.find((wire) => wire.name === name) as Wire

  /** The row as each of the wires lists it. */
  async function assertStored(id: unknown, values: Values) {
    for (const wire of served.wires) {
      const row = (await wire.list()).find((one) => one.id === id)
      assert.deepEqual(ownOf(row ?? {}), values, `as ${wire.name} lists it`)
    }
  }

  for (const name of names) {
    test(`is created and listed as it was given, over ${name}`, async () => {
      const created = await wireNamed(name).create(everything(1))
      assert.deepEqual(ownOf(created), everything(1))
      await assertStored(created.id, everything(1))
    })

    test(`is null when a create leaves it out, and never zero, over ${name}`, async () => {
      const expected = { ...given(1), ...nullsOf('early'), ...nullsOf('optional') }
      for (const leftOut of [{}, { ...nullsOf('early'), ...nullsOf('optional') }]) {
        const created = await wireNamed(name).create({ ...given(1), ...leftOut })
        assert.deepEqual(ownOf(created), expected)
        await assertStored(created.id, expected)
      }
    })

    test(`is changed by an update that names it, over ${name}`, async () => {
      const { id } = await wireNamed(name).create(everything(1))
      await wireNamed(name).update({ id, ...everything(2) })
      await assertStored(id, everything(2))
    })

    test(`stays when an update leaves it out, but for what the first clients clear, over ${name}`, async () => {
      const { id } = await wireNamed(name).create(everything(1))
      await wireNamed(name).update({ id, ...valuesOf('required', 2) })
      await assertStored(id, {
        ...everything(1),
        ...valuesOf('required', 2),
        ...(name !== 'REST' && nullsOf('early')),
      })
    })

    test(`is cleared by null where it is optional and stays where it is not, over ${name}`, async () => {
      const { id } = await wireNamed(name).create(everything(1))
      const nulls = { ...nullsOf('early'), ...nullsOf('optional'), ...nullsOf('once') }
      // Protobuf has no null: the mask says which fields are meant.
      const mask = name === 'gRPC' && { updateMask: { paths: [...namesOf('early'), ...namesOf('optional')] } }
      await wireNamed(name).update({ id, ...valuesOf('required', 2), ...nulls, ...mask })
      await assertStored(id, {
        ...valuesOf('required', 2),
        ...valuesOf('once', 1),
        ...nullsOf('early'),
        ...nullsOf('optional'),
      })
    })

    test(`is missed where it is required and null, over ${name}`, async () => {
      const nulls = { ...nullsOf('required'), ...nullsOf('once') }
      const errors = await wireNamed(name).rejected(nulls)
      assert.deepEqual(
        errors,
        Object.fromEntries(
          Object.keys(nulls).map((field) => [
            field,
            [`${field.charAt(0).toUpperCase()}${field.slice(1)} is required.`],
          ]),
        ),
      )
    })
  }

  test('is the zero of its type where a .NET client cannot say null and leaves it out', async () => {
    const wrong = 'must be a whole number from 1 to 5.'
    assert.deepEqual(await wireNamed('.NET').rejected(valuesOf('optional', 1)), {
      requiredText: ['RequiredText is required.'],
      requiredUuid: ['RequiredUuid is required.'],
      requiredMoment: ['RequiredMoment is required.'],
      requiredWholeNumber: [`RequiredWholeNumber ${wrong}`],
      onceText: ['OnceText is required.'],
      onceUuid: ['OnceUuid is required.'],
      onceMoment: ['OnceMoment is required.'],
      onceWholeNumber: [`OnceWholeNumber ${wrong}`],
    })
  })

  test('can be null in C# exactly where it may be left out', () => {
    const written = dotnetContracts(commands('v1', [sample]), [sample])
    const typesIn = (name: string) => {
      const [, body = ''] = new RegExp(`class ${name} .*?\\{(.*?)\\n {4}\\}`, 's').exec(written) ?? []
      return Object.fromEntries(
        [...body.matchAll(/public (\S+) (\w+) \{/g)].map(([, type, field]) => [field, type]),
      )
    }
    const numbers = (presence: string, mark: '' | '?') => ({
      [`${presence}Text`]: 'string?',
      [`${presence}Uuid`]: `Guid${mark}`,
      [`${presence}Moment`]: 'DateTime?',
      [`${presence}Number`]: `double${mark}`,
      [`${presence}WholeNumber`]: `int${mark}`,
    })
    const body = {
      Id: 'Guid',
      ...numbers('Required', ''),
      ...numbers('Early', '?'),
      ...numbers('Optional', '?'),
    }
    assert.deepEqual(typesIn('CreateSampleCommand'), { ...body, ...numbers('Once', '') })
    assert.deepEqual(typesIn('UpdateSampleCommand'), {
      ...body,
      ...numbers('Once', '?'),
      UpdateMask: 'GrpcServer.Contracts.Records.FieldMask?',
    })
  })
})

const ownOf = (row: Values): Values =>
  Object.fromEntries(Object.keys(sample.fields).map((name) => [name, row[name]]))
