import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { resources } from '../../resources/all.ts'
import { commands } from './commands.ts'
import { pathsOf } from './paths.ts'
import { messagesIn } from './protobuf/descriptors.ts'
import { protoFile } from './protobuf/proto-file.ts'

const published = new URL('../../../docs/contract/tracker/commands/v1/commands.proto', import.meta.url)

describe('The commands', () => {
  test('are five for each of the eleven resources, named as the contract names them', () => {
    const names = commands().map(({ request, result }) => [request.name, result.name])
    const expected = resources.flatMap(({ title }) =>
      [`Create${title}`, `Get${title}ById`, `List${title}s`, `Remove${title}`, `Update${title}`].map(
        (name) => [`${name}Command`, `${name}Result`],
      ),
    )
    assert.deepEqual(names, expected)
    assert.equal(names.length, 55)
  })

  test('are published as docs/contract/tracker/commands/v1/commands.proto says', () => {
    assert.equal(readFileSync(published, 'utf8'), protoFile(commands()))
  })

  test('have messages whose field numbers are all different, and leave those of protobuf itself alone', () => {
    for (const { name, fields } of messagesIn(commands())) {
      const numbers = fields.map(({ number }) => number)
      assert.equal(new Set(numbers).size, numbers.length, name)
      assert.ok(
        numbers.every((number) => number >= 1 && (number < 19_000 || number > 19_999)),
        name,
      )
    }
  })

  test('a field has one number in every message of its resource', () => {
    for (const { title } of resources) {
      const numbers = new Map<string, number>()
      const own = messagesIn(commands()).filter(({ name }) =>
        [title, `Create${title}Command`, `Update${title}Command`].includes(name),
      )
      for (const field of own.flatMap(({ fields }) => fields)) {
        assert.equal(numbers.get(field.name) ?? field.number, field.number, `${title}.${field.name}`)
        numbers.set(field.name, field.number)
      }
    }
  })

  test('never show a password', () => {
    const shown = commands().flatMap(({ result }) => messagesIn([{ request: result, result }]))
    for (const { name, fields } of shown) {
      assert.ok(!fields.some((field) => /password|hash|salt|stamp/i.test(field.name)), name)
    }
  })

  test('are called by gRPC clients at the service, and by .NET clients at the name of their type', () => {
    const command = commands().find(({ name }) => name === 'UpdateProject')
    assert.ok(command)
    assert.deepEqual(
      pathsOf(command, 'GrpcServer.Contracts.Commands').map(({ path }) => path),
      [
        '/tracker.commands.v1.Commands/UpdateProject',
        '/GrpcServer.Contracts.Commands.Project.UpdateProjectCommand/',
        '/GrpcServer.Contracts.Commands.Project.UpdateProjectCommand',
      ],
    )
  })
})
