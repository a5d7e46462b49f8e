import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { dotnetContracts } from '../../scripts/dotnet-contracts.ts'
import { tableMigration } from '../../scripts/migration-text.ts'
import { raw, splitStatements } from '../../src/db/sql.ts'
import { commandsOfEdition } from '../../src/hosts/commands/main.ts'
import { protoFile } from '../../src/hosts/commands/protobuf/proto-file.ts'
import { catalog } from '../../src/model/access-rule.ts'
import { optional, required, requiredOnCreate } from '../../src/model/field.ts'
import { choice, hours, integer, text, timestamp, uuid } from '../../src/model/field-kinds.ts'
import { defineResource } from '../../src/resources/define-resource.ts'
import { violationsIn } from '../support/assertions.ts'
import { type CommandAnswer, openCommandCalls, valueOptions } from '../support/command-calls.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { openDotnetCalls, toMessageFields } from '../support/dotnet-calls.ts'
import { fixture } from '../support/fixture.ts'
import { startRestUnderTest } from '../support/rest-host.ts'
import { serializeTimestamp, timestampOf } from './timestamps.ts'

const kindsOfFields = {
  text: text({ max: 40 }),
  uuid,
  timestamp,
  number: hours({ zeroAllowed: true }),
  integer: integer({ min: 1, max: 5 }),
  choice: choice(['set-1', 'set-2']),
}

/**
 * Every kind of field with every presence in a body. The `early` fields have numbers below
 * `neverClearedNumberMin`. The first clients know them, so a command that omits such a field clears it.
 */
const sample = defineResource({
  name: 'sample',
  edition: 'v1',
  table: 'samples',
  access: catalog,
  fields: {
    requiredText: required(27, kindsOfFields.text),
    requiredUuid: required(3, kindsOfFields.uuid),
    requiredMoment: required(4, kindsOfFields.timestamp),
    requiredNumber: required(5, kindsOfFields.number),
    requiredWholeNumber: required(6, kindsOfFields.integer),
    requiredChoice: required(28, kindsOfFields.choice),
    earlyText: optional(7, kindsOfFields.text),
    earlyUuid: optional(8, kindsOfFields.uuid),
    earlyMoment: optional(9, kindsOfFields.timestamp),
    earlyNumber: optional(10, kindsOfFields.number),
    earlyWholeNumber: optional(15, kindsOfFields.integer),
    earlyChoice: optional(2, kindsOfFields.choice),
    optionalText: optional(16, kindsOfFields.text),
    optionalUuid: optional(17, kindsOfFields.uuid),
    optionalMoment: optional(18, kindsOfFields.timestamp),
    optionalNumber: optional(20, kindsOfFields.number),
    optionalWholeNumber: optional(21, kindsOfFields.integer),
    optionalChoice: optional(29, kindsOfFields.choice),
    onceText: requiredOnCreate(22, kindsOfFields.text),
    onceUuid: requiredOnCreate(23, kindsOfFields.uuid),
    onceMoment: requiredOnCreate(24, kindsOfFields.timestamp),
    onceNumber: requiredOnCreate(25, kindsOfFields.number),
    onceWholeNumber: requiredOnCreate(26, kindsOfFields.integer),
    onceChoice: requiredOnCreate(30, kindsOfFields.choice),
  },
})

type Values = Readonly<Record<string, unknown>>

/**
 * One wire format. Requests omit the fields that `values` does not name, and also fields that are null if the
 * format has no null.
 */
interface Wire {
  readonly name: 'REST' | 'gRPC' | '.NET'
  create(values: Values): Promise<Values>
  update(values: Values): Promise<void>
  list(): Promise<readonly Values[]>
  /** Sends a create that is rejected, and returns its messages by field. */
  rejected(values: Values): Promise<Readonly<Record<string, readonly string[]>>>
}

/** Starts a REST host and a command host that serve only samples from one store. */
async function serveSamples() {
  const declared = [sample]
  const rest = await startRestUnderTest({}, { resources: declared })
  for (const statement of splitStatements(tableMigration(sample))) await rest.database.query(raw(statement))
  const commandHost = await startCommandsUnderTest({}, { alongside: rest, declared })
  const token = commandHost.administrator.token
  const grpc = openCommandCalls(commandHost.target, {}, undefined, sampleDefinition())
  const dotnet = openDotnetCalls(commandHost.target)
  const callRest = (method: string, path: string, body?: Values) =>
    rest.call(method, path, { token: rest.administrator.token, ...(body && { body }) })
  const callGrpc = (name: string, values: Values) => grpc.call(name, messageOf(values), { token })
  const callDotnet = (name: string, values: Values) =>
    dotnet.call('Sample', `${name}Command`, toMessageFields(pascalCased(values)), { token })
  const wires: readonly Wire[] = [
    {
      name: 'REST',
      create: async (values) => expectOk(await callRest('POST', '/api/sample', values)).sample,
      update: async (values) => void expectOk(await callRest('PATCH', '/api/sample', values)),
      list: async () => expectOk(await callRest('GET', '/api/samples?pageSize=100')).result.data,
      rejected: async (values) => (await callRest('POST', '/api/sample', values)).body.errors,
    },
    {
      name: 'gRPC',
      create: async (values) => plain(resultOf(await callGrpc('CreateSample', values)).sample),
      update: async (values) => void resultOf(await callGrpc('UpdateSample', values)),
      list: async () =>
        resultOf(await callGrpc('ListSamples', { pagination: { pageSize: 100 } })).result.data.map(plain),
      rejected: async (values) => violationsIn((await callGrpc('CreateSample', values)).metadata),
    },
    {
      name: '.NET',
      create: async (values) => camelCased(resultOf(await callDotnet('CreateSample', values)).Sample),
      update: async (values) => void resultOf(await callDotnet('UpdateSample', values)),
      list: async () =>
        resultOf(await callDotnet('ListSamples', { pagination: { PageSize: 100 } })).Result.Data.map(
          camelCased,
        ),
      rejected: async (values) => violationsIn((await callDotnet('CreateSample', values)).metadata),
    },
  ]
  return {
    wires,
    async stop() {
      grpc.close()
      dotnet.close()
      await commandHost.stop()
      await rest.stop()
    },
  }
}

/** Builds the definition from the text of the .proto file, as clients do. */
function sampleDefinition() {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-samples-'))
  try {
    const file = join(folder, 'samples.proto')
    writeFileSync(file, protoFile('v1', commandsOfEdition('v1', [sample]), [sample]))
    return loadSync(file, valueOptions)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a result comes from the network
function expectOk({ status: code, body }: { status: number; body: any }) {
  if (code !== 200) throw new Error(`${code} ${JSON.stringify(body)}`)
  return body
}

function resultOf({ code, details, result }: CommandAnswer) {
  if (code !== status.OK) throw new Error(`${status[code]} ${details}`)
  if (result.success === false || result.Success === false) throw new Error(JSON.stringify(result))
  return result
}

/** Omits fields that are null, because a protobuf message has no null. */
const messageOf = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, name.endsWith('Moment') ? timestampOf(value) : value]),
  )

const plain = (record: Values): Values =>
  Object.fromEntries(sample.columns.map((name) => [name, serializeTimestamp(record[name] ?? null)]))

const changeFirstLetters = (values: Values, change: (letter: string) => string): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [change(name.charAt(0)) + name.slice(1), value]),
  )
const pascalCased = (values: Values) => changeFirstLetters(values, (letter) => letter.toUpperCase())
const camelCased = (values: Values) => changeFirstLetters(values, (letter) => letter.toLowerCase())

/** The tests create rows with the first set of values, and update them to the second. */
type ValueSet = 1 | 2

const allValues = (set: ValueSet): Values => ({
  Text: `set ${set}`,
  Uuid: `0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b5${set}`,
  Moment: `2026-03-0${set}T09:00:00.123456Z`,
  Number: set - 0.75,
  WholeNumber: set + 2,
  Choice: `set-${set}`,
})

const kinds = Object.keys(allValues(1))

/** Returns the values of the fields of one presence, such as earlyText and earlyUuid. */
const valuesOf = (presence: string, set: ValueSet): Values =>
  Object.fromEntries(Object.entries(allValues(set)).map(([kind, value]) => [presence + kind, value]))
const nullsOf = (presence: string): Values => Object.fromEntries(kinds.map((kind) => [presence + kind, null]))
const namesOf = (presence: string): string[] => Object.keys(nullsOf(presence))

const onlyRequired = (set: ValueSet): Values => ({ ...valuesOf('required', set), ...valuesOf('once', set) })
const allFields = (set: ValueSet): Values => ({
  ...onlyRequired(set),
  ...valuesOf('early', set),
  ...valuesOf('optional', set),
})

describe('Every kind of field with every presence', () => {
  const served = fixture(serveSamples)

  const names: readonly Wire['name'][] = ['REST', 'gRPC', '.NET']
  const wireNamed = (name: Wire['name']) => served.wires.find((wire) => wire.name === name) as Wire

  /** Asserts that the row has these values in the list of every wire format. */
  async function assertStored(id: unknown, values: Values) {
    for (const wire of served.wires) {
      const row = (await wire.list()).find((listed) => listed.id === id)
      assert.deepEqual(ownFieldsOf(row ?? {}), values, `as ${wire.name} lists it`)
    }
  }

  for (const name of names) {
    test(`is created and listed as it was sent, over ${name}`, async () => {
      const created = await wireNamed(name).create(allFields(1))
      assert.deepEqual(ownFieldsOf(created), allFields(1))
      await assertStored(created.id, allFields(1))
    })

    test(`is null when a create leaves it out, and never zero, over ${name}`, async () => {
      const expected = { ...onlyRequired(1), ...nullsOf('early'), ...nullsOf('optional') }
      for (const leftOut of [{}, { ...nullsOf('early'), ...nullsOf('optional') }]) {
        const created = await wireNamed(name).create({ ...onlyRequired(1), ...leftOut })
        assert.deepEqual(ownFieldsOf(created), expected)
        await assertStored(created.id, expected)
      }
    })

    test(`is changed by an update that names it, over ${name}`, async () => {
      const { id } = await wireNamed(name).create(allFields(1))
      await wireNamed(name).update({ id, ...allFields(2) })
      await assertStored(id, allFields(2))
    })

    test(`is kept by an update that omits it, unless it is an early field in a command, over ${name}`, async () => {
      const { id } = await wireNamed(name).create(allFields(1))
      await wireNamed(name).update({ id, ...valuesOf('required', 2) })
      await assertStored(id, {
        ...allFields(1),
        ...valuesOf('required', 2),
        ...(name !== 'REST' && nullsOf('early')),
      })
    })

    test(`is cleared by null if it is optional, and kept otherwise, over ${name}`, async () => {
      const { id } = await wireNamed(name).create(allFields(1))
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

    test(`is reported when it is required and null, over ${name}`, async () => {
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

  test('that cannot be null has its zero value when a .NET client leaves it out', async () => {
    const wrong = 'must be a whole number from 1 to 5.'
    assert.deepEqual(await wireNamed('.NET').rejected(valuesOf('optional', 1)), {
      requiredText: ['RequiredText is required.'],
      requiredUuid: ['RequiredUuid is required.'],
      requiredMoment: ['RequiredMoment is required.'],
      requiredWholeNumber: [`RequiredWholeNumber ${wrong}`],
      requiredChoice: ['RequiredChoice is required.'],
      onceText: ['OnceText is required.'],
      onceUuid: ['OnceUuid is required.'],
      onceMoment: ['OnceMoment is required.'],
      onceWholeNumber: [`OnceWholeNumber ${wrong}`],
      onceChoice: ['OnceChoice is required.'],
    })
  })

  test('has a type in C# that can be null wherever it may be left out', () => {
    const contracts = dotnetContracts(commandsOfEdition('v1', [sample]), [sample])
    const typesIn = (name: string) => {
      const [, body = ''] = new RegExp(`class ${name} .*?\\{(.*?)\\n {4}\\}`, 's').exec(contracts) ?? []
      return Object.fromEntries(
        [...body.matchAll(/public (\S+) (\w+) \{/g)].map(([, type, field]) => [field, type]),
      )
    }
    /** Returns the C# types of the fields of one presence. `mark` follows all value types but DateTime. */
    const typesOf = (presence: string, mark: '' | '?') => ({
      [`${presence}Text`]: 'string?',
      [`${presence}Uuid`]: `Guid${mark}`,
      [`${presence}Moment`]: 'DateTime?',
      [`${presence}Number`]: `double${mark}`,
      [`${presence}WholeNumber`]: `int${mark}`,
      [`${presence}Choice`]: 'string?',
    })
    const body = {
      Id: 'Guid',
      ...typesOf('Required', ''),
      ...typesOf('Early', '?'),
      ...typesOf('Optional', '?'),
    }
    assert.deepEqual(typesIn('CreateSampleCommand'), { ...body, ...typesOf('Once', '') })
    assert.deepEqual(typesIn('UpdateSampleCommand'), {
      ...body,
      ...typesOf('Once', '?'),
      UpdateMask: 'GrpcServer.Contracts.Records.FieldMask?',
    })
  })
})

const ownFieldsOf = (row: Values): Values =>
  Object.fromEntries(Object.keys(sample.fields).map((name) => [name, row[name]]))
