import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { resources } from '../../resources/all.ts'
import type { Edition } from '../../resources/define-resource.ts'
import { resourcesOf } from '../../resources/derived.ts'
import { commandsOfEdition } from './main.ts'
import { packages } from './message.ts'
import { fileDescriptor, messagesIn } from './protobuf/descriptors.ts'
import { protoFile } from './protobuf/proto-file.ts'
import { pathsOf } from './register-commands.ts'

const editions: readonly Edition[] = ['v1', 'ext']
const publishedUrl = (file: string) => new URL(`../../../docs/contract/${file}`, import.meta.url)

const allCommands = editions.flatMap((edition) => commandsOfEdition(edition))

/** The responses of the history commands. `FollowChanges` is a stream, so it responds with events. */
const historyResponses: Readonly<Record<string, string>> = {
  ReadHistory: 'ReadHistoryResult',
  ReadChanges: 'ReadChangesResult',
  FollowChanges: 'ChangeEvent',
}

describe('The commands', () => {
  test('have the names of the contract', () => {
    for (const edition of editions) {
      const names = commandsOfEdition(edition).map(({ request, result }) => [request.name, result.name])
      const expected = resourcesOf(edition).flatMap(({ typeName, pluralTypeName, withoutCreate }) =>
        [
          ...(withoutCreate ? [] : [`Create${typeName}`]),
          ...[`Get${typeName}ById`, `List${pluralTypeName}`, `Remove${typeName}`, `Update${typeName}`],
        ].map((name) => [`${name}Command`, `${name}Result`]),
      )
      const history = edition === 'ext' ? Object.entries(historyResponses) : []
      assert.deepEqual(names, [
        ...expected,
        ...history.map(([name, response]) => [`${name}Command`, response]),
      ])
    }
  })

  test('of v1 are the 55 commands of the contract', () => {
    assert.equal(commandsOfEdition('v1').length, 55)
  })

  for (const edition of editions) {
    const { file } = packages[edition]
    test(`of ${edition} are those that docs/contract/${file} publishes`, () => {
      assert.equal(readFileSync(publishedUrl(file), 'utf8'), protoFile(edition, commandsOfEdition(edition)))
    })
  }

  test('have messages with distinct field numbers, outside the range that protobuf reserves', () => {
    for (const { name, fields } of messagesIn(allCommands)) {
      const numbers = fields.map(({ number }) => number)
      assert.equal(new Set(numbers).size, numbers.length, name)
      assert.ok(
        numbers.every((number) => number >= 1 && (number < 19_000 || number > 19_999)),
        name,
      )
    }
  })

  test('give a field the same number in every message of its resource', () => {
    for (const { title } of resources) {
      const numbers = new Map<string, number>()
      const messages = messagesIn(allCommands).filter(({ name }) =>
        [title, `Create${title}Command`, `Update${title}Command`].includes(name),
      )
      for (const field of messages.flatMap(({ fields }) => fields)) {
        assert.equal(numbers.get(field.name) ?? field.number, field.number, `${title}.${field.name}`)
        numbers.set(field.name, field.number)
      }
    }
  })

  test('never return a password', () => {
    const resultMessages = allCommands.flatMap(({ result }) => messagesIn([{ request: result, result }]))
    for (const { name, fields } of resultMessages) {
      assert.ok(!fields.some((field) => /password|hash|salt|stamp/i.test(field.name)), name)
    }
  })

  test('have a path for gRPC clients and paths for .NET clients', () => {
    const command = allCommands.find(({ name }) => name === 'UpdateProject')
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

  test('of the extensions have a separate service', () => {
    const command = allCommands.find(({ name }) => name === 'UpdateComment')
    assert.ok(command)
    assert.deepEqual(
      pathsOf(command, 'GrpcServer.Contracts.Commands').map(({ path }) => path),
      [
        '/tracker.ext.v1.Commands/UpdateComment',
        '/GrpcServer.Contracts.Commands.Comment.UpdateCommentCommand/',
        '/GrpcServer.Contracts.Commands.Comment.UpdateCommentCommand',
      ],
    )
  })

  test('reserve the numbers and names of retired fields', () => {
    const command = allCommands.find(({ name }) => name === 'CreateComment')
    assert.ok(command)
    const retiring = { ...command, request: { ...command.request, retired: { 7: 'oldName' } } }
    const text = protoFile('ext', [retiring])
    assert.match(text, /message CreateCommentCommand \{\n {2}reserved 7;\n {2}reserved "old_name";\n/)
    const [described] = fileDescriptor('ext', [retiring]).messageType
    assert.deepEqual([described?.reservedRange[0]?.start, described?.reservedRange[0]?.end], [7, 8])
    assert.deepEqual(described?.reservedName, ['old_name'])
  })
})
