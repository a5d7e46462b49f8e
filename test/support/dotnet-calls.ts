import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import {
  type ChannelCredentials,
  Client,
  type ClientReadableStream,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js'
import type { CallOptions, CommandAnswer } from './command-calls.ts'
import { type CommandsUnderTest, startCommandsUnderTest } from './command-host.ts'
import { disposable } from './fixture.ts'
import { framed } from './lz4-encoder.ts'
import { decode } from './message-pack-decoder.ts'
import { encode, instant } from './message-pack-encoder.ts'

/** Sends calls like a .NET client, which compresses long messages. */
export interface DotnetCalls extends AsyncDisposable {
  /** Sends a command. `name` is its class, such as CreateProjectCommand. The fields are in PascalCase. */
  call(entity: string, name: string, fields: unknown, options?: CallOptions): Promise<CommandAnswer>
  /** Sends a command that responds with a stream, and returns its messages. */
  follow(entity: string, name: string, fields: unknown, token: string): ClientReadableStream<unknown>
  /** Sends an encoded body to any path, and decodes the result. */
  send(path: string, body: Buffer, options?: CallOptions): Promise<CommandAnswer>
  close(): void
}

export const dotnetPath = (entity: string, name: string, namespace = 'GrpcServer.Contracts.Commands') =>
  `/${namespace}.${entity}.${name}/`

export function openDotnetCalls(
  target: string,
  security: ChannelCredentials = credentials.createInsecure(),
): DotnetCalls {
  const client = new Client(target, security)
  const send: DotnetCalls['send'] = (path, body, { token, metadata = {}, deadline } = {}) =>
    new Promise((resolve) => {
      const headers = new Metadata()
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
      for (const [key, value] of Object.entries(metadata)) headers.set(key, value)
      const done = (error: ServiceError | null, result: unknown) => resolve(answerOf(error, result))
      client.makeUnaryRequest(path, asIs, decode, body, headers, deadline ? { deadline } : {}, done)
    })
  return disposable<DotnetCalls>({
    call: (entity, name, fields, options) => send(dotnetPath(entity, name), framed(encode(fields)), options),
    send,
    follow(entity, name, fields, token) {
      const headers = new Metadata()
      headers.set('authorization', `Bearer ${token}`)
      const body = framed(encode(fields))
      return client.makeServerStreamRequest(dotnetPath(entity, name), asIs, decode, body, headers)
    },
    close: () => client.close(),
  })
}

const asIs = (bytes: Buffer): Buffer => bytes

const answerOf = (error: ServiceError | null, result: unknown): CommandAnswer =>
  error
    ? { code: error.code, details: error.details, metadata: error.metadata, result: undefined }
    : { code: 0, details: '', metadata: new Metadata(), result }

type Token = string | undefined

export interface DotnetUnderTest {
  readonly commands: CommandsUnderTest
  readonly calls: DotnetCalls
  readonly workspace: DotnetWorkspace
  /** Sends a command, by default as the administrator. `name` is the class without `Command`. */
  ask(name: string, fields: Fields | null, caller?: { readonly token: Token }): Promise<CommandAnswer>
  /** Sends a command that must be rejected with this status and message. */
  rejected(
    name: string,
    fields: Fields | null,
    code: status,
    details: string,
    caller?: { readonly token: Token },
  ): Promise<CommandAnswer>
  stop(): Promise<void>
}

/** Starts a command host, and a .NET client that has created a workspace there. */
export async function startDotnetUnderTest(): Promise<DotnetUnderTest> {
  const commands = await startCommandsUnderTest()
  const calls = openDotnetCalls(commands.target)
  const ask: DotnetUnderTest['ask'] = (name, fields, caller = commands.administrator) =>
    calls.call(entityOf(name), `${name}Command`, fields && toMessageFields(fields), caller)
  return {
    commands,
    calls,
    workspace: await seedDotnet(calls, commands.administrator.token),
    ask,
    async rejected(name, fields, code, details, caller) {
      const answer = await ask(name, fields, caller)
      assert.deepEqual([status[answer.code], answer.details], [status[code], details])
      return answer
    },
    async stop() {
      calls.close()
      await commands.stop()
    },
  }
}

const entityOf = (name: string): string =>
  /^(?:Create|Get|List|Remove|Update)(\w+?)(?:ById|s)?$/.exec(name)?.[1] ?? name

/** Fields in PascalCase. Timestamps are text. */
export type Fields = Readonly<Record<string, unknown>>

export interface DotnetWorkspace {
  /** The ids of one row of each resource, such as OrganizationId and ProjectId. */
  readonly ids: Readonly<Record<string, string>>
  /** Sends a command that must succeed. Returns its result. `name` is the class without `Command`. */
  call(entity: string, name: string, fields: Fields, token?: string): Promise<CommandAnswer['result']>
}

/** Creates rows to which others refer, with commands of a .NET client. */
export async function seedDotnet(calls: DotnetCalls, administrator: string): Promise<DotnetWorkspace> {
  const call: DotnetWorkspace['call'] = async (entity, name, fields, token = administrator) => {
    const { code, details, result } = await calls.call(entity, `${name}Command`, toMessageFields(fields), {
      token,
    })
    assert.equal(code, status.OK, `${name}: ${status[code]} ${details}`)
    return result
  }
  const make = async (entity: string, fields: Fields) =>
    (await call(entity, `Create${entity}`, fields))[entity].Id
  const ids: Record<string, string> = {
    OrganizationId: await make('Organization', { Name: 'Lighthouse' }),
    WorkflowId: await make('Workflow', { Name: 'Doing', Order: 1 }),
    AssignmentTypeId: await make('AssignmentType', { Name: 'Feature' }),
    ImpedimentId: await make('Impediment', { Name: 'Waiting' }),
    UserId: await make('User', {
      Name: 'Grace',
      Login: `${randomUUID()}@example.com`,
      Password: 'Secret-123',
    }),
  }
  ids.ProjectId = await make('Project', { Name: 'Relaunch', OrganizationId: ids.OrganizationId })
  const dates = { StartDate: '2026-01-05T00:00:00Z', EndDate: '2026-01-09T00:00:00Z' }
  ids.AssignmentId = await make('Assignment', { Name: 'Write', ...dates, AmountHours: 4, ...ids })
  return { ids, call }
}

/** Returns the fields in the form of a message, in which timestamps are messages, too. */
export const toMessageFields = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' && timestampPattern.test(value) ? instant(value) : value,
    ]),
  )

const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/
