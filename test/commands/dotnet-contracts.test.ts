import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { dotnetContracts } from '../../scripts/dotnet-contracts.ts'
import { commands } from '../../src/hosts/commands/main.ts'
import { pathsOf } from '../../src/hosts/commands/register-commands.ts'

const written = readFileSync(
  join(import.meta.dirname, '..', '..', 'clients', 'dotnet', 'Contracts.g.cs'),
  'utf8',
)

test('The C# classes are those of the commands: npm run contract writes them', () => {
  assert.equal(written, dotnetContracts(commands('v1')))
})

test('A C# class has the full name that its command is called by', () => {
  const names = new Set<string>()
  let namespace = ''
  for (const line of written.split('\n')) {
    namespace = /^namespace (\S+)/.exec(line)?.[1] ?? namespace
    const name = /public sealed class (\w+) : ICommand/.exec(line)?.[1]
    if (name) names.add(`/${namespace}.${name}/`)
  }
  const called = commands('v1').map((command) => pathsOf(command, 'GrpcServer.Contracts.Commands')[1]?.path)
  assert.deepEqual([...names].sort(), called.sort())
})
