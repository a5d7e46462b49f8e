import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { status } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { tableMigration } from '../../scripts/migration-text.ts'
import { raw, statementsOf } from '../../src/db/sql.ts'
import { commands } from '../../src/hosts/commands/main.ts'
import { protoFile } from '../../src/hosts/commands/protobuf/proto-file.ts'
import { catalog } from '../../src/model/access-rule.ts'
import { optional, required, requiredOnCreate } from '../../src/model/field.ts'
import { hours, moment, text, uuid, wholeNumber } from '../../src/model/field-kinds.ts'
import { defineResource } from '../../src/resources/define-resource.ts'
import { violationsIn } from '../support/bad-request.ts'
import { type CommandAnswer, openCommandCalls, valueOptions } from '../support/command-calls.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { openDotnetCalls } from '../support/dotnet-calls.ts'
import { sent } from '../support/dotnet-workspace.ts'
import { startRestUnderTest } from '../support/rest-host.ts'
import { showMoment, timestampOf } from './timestamps.ts'

const kinds = {
  text: text({ max: 40 }),
  uuid,
  moment,
  number: hours({ zeroAllowed: true }),
  wholeNumber: wholeNumber({ min: 1, max: 5 }),
}

/** Every kind of field with every presence that a body can have; `early` are those that the first clients knew. */
export const sample = defineResource({
  name: 'sample',
  edition: 'v1',
  table: 'samples',
  access: catalog,
  fields: {
    requiredText: required(2, kinds.text),
    requiredUuid: required(3, kinds.uuid),
    requiredMoment: required(4, kinds.moment),
    requiredNumber: required(5, kinds.number),
    requiredWholeNumber: required(6, kinds.wholeNumber),
    earlyText: optional(7, kinds.text),
    earlyUuid: optional(8, kinds.uuid),
    earlyMoment: optional(9, kinds.moment),
    earlyNumber: optional(10, kinds.number),
    earlyWholeNumber: optional(15, kinds.wholeNumber),
    optionalText: optional(16, kinds.text),
    optionalUuid: optional(17, kinds.uuid),
    optionalMoment: optional(18, kinds.moment),
    optionalNumber: optional(20, kinds.number),
    optionalWholeNumber: optional(21, kinds.wholeNumber),
    onceText: requiredOnCreate(22, kinds.text),
    onceUuid: requiredOnCreate(23, kinds.uuid),
    onceMoment: requiredOnCreate(24, kinds.moment),
    onceNumber: requiredOnCreate(25, kinds.number),
    onceWholeNumber: requiredOnCreate(26, kinds.wholeNumber),
  },
})

export type Values = Readonly<Record<string, unknown>>

/** One wire: null is written where the wire has a null, and what is not named is left out. */
export interface Wire {
  readonly name: 'REST' | 'gRPC' | '.NET'
  create(values: Values): Promise<Values>
  update(values: Values): Promise<void>
  list(): Promise<readonly Values[]>
  /** The sentences of a create that is rejected, by field. */
  rejected(values: Values): Promise<Readonly<Record<string, readonly string[]>>>
}

/** REST and the commands on one store, serving nothing but samples. */
export async function serveSamples() {
  const declared = [sample]
  const rest = await startRestUnderTest({}, { declared })
  for (const statement of statementsOf(tableMigration(sample))) await rest.database.query(raw(statement))
  const commandHost = await startCommandsUnderTest({}, { beside: rest, declared })
  const token = commandHost.administrator.token
  const grpc = openCommandCalls(commandHost.target, {}, undefined, sampleDefinition())
  const dotnet = openDotnetCalls(commandHost.target)
  const callRest = (method: string, path: string, body?: Values) =>
    rest.call(method, path, { token: rest.administrator.token, ...(body && { body }) })
  const callGrpc = (name: string, values: Values) => grpc.call(name, messageOf(values), { token })
  const callDotnet = (name: string, values: Values) =>
    dotnet.call('Sample', `${name}Command`, sent(pascalCased(values)), { token })
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

/** Made from the text of the .proto file, as clients are. */
function sampleDefinition() {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-samples-'))
  try {
    const file = join(folder, 'samples.proto')
    writeFileSync(file, protoFile('v1', commands('v1', [sample]), [sample]))
    return loadSync(file, valueOptions)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a result is what came over the network
function expectOk({ status: code, body }: { status: number; body: any }) {
  if (code !== 200) throw new Error(`${code} ${JSON.stringify(body)}`)
  return body
}

function resultOf({ code, details, result }: CommandAnswer) {
  if (code !== status.OK) throw new Error(`${status[code]} ${details}`)
  if (result.success === false || result.Success === false) throw new Error(JSON.stringify(result))
  return result
}

/** A message of protobuf has no null: it is left out. */
const messageOf = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, name.endsWith('Moment') ? timestampOf(value) : value]),
  )

const plain = (record: Values): Values =>
  Object.fromEntries(sample.columns.map((name) => [name, showMoment(record[name] ?? null)]))

const recased = (values: Values, change: (letter: string) => string): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [change(name.charAt(0)) + name.slice(1), value]),
  )
const pascalCased = (values: Values) => recased(values, (letter) => letter.toUpperCase())
const camelCased = (values: Values) => recased(values, (letter) => letter.toLowerCase())
