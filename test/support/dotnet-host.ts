import assert from 'node:assert/strict'
import { status } from '@grpc/grpc-js'
import type { CommandAnswer } from './command-calls.ts'
import { type CommandsUnderTest, startCommandsUnderTest } from './command-host.ts'
import { type DotnetCalls, openDotnetCalls } from './dotnet-calls.ts'
import { type DotnetWorkspace, type Fields, furnishDotnet, sent } from './dotnet-workspace.ts'

type Token = string | undefined

export interface DotnetUnderTest {
  readonly commands: CommandsUnderTest
  readonly calls: DotnetCalls
  readonly workspace: DotnetWorkspace
  /** As the administrator by default; undefined is a caller without a token. `name` goes without `Command`. */
  ask(name: string, fields: Fields | null, token?: { readonly token: Token }): Promise<CommandAnswer>
  /** Rejects with this status and this sentence. */
  refused(
    name: string,
    fields: Fields | null,
    code: status,
    details: string,
    as?: { readonly token: Token },
  ): Promise<CommandAnswer>
  stop(): Promise<void>
}

/** A command host, and a .NET client that has filled it. */
export async function startDotnetUnderTest(): Promise<DotnetUnderTest> {
  const commands = await startCommandsUnderTest()
  const calls = openDotnetCalls(commands.target)
  const ask: DotnetUnderTest['ask'] = (name, fields, as = commands.administrator) =>
    calls.call(entityOf(name), `${name}Command`, fields && sent(fields), as)
  return {
    commands,
    calls,
    workspace: await furnishDotnet(calls, commands.administrator.token),
    ask,
    async refused(name, fields, code, details, as) {
      const answer = await ask(name, fields, as)
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
