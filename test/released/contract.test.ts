import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { loadSync } from '@grpc/proto-loader'
import { commandsOfEdition } from '../../src/hosts/commands/main.ts'
import { packages } from '../../src/hosts/commands/message.ts'
import { protoFile } from '../../src/hosts/commands/protobuf/proto-file.ts'
import { neverClearedNumberMin } from '../../src/hosts/commands/resource-messages.ts'
import type { Edition } from '../../src/resources/define-resource.ts'
import { openApiBreaks } from './openapi-breaks.ts'

const docs = join(import.meta.dirname, '..', '..', 'docs')
const released = join(docs, 'contract-released')
const jsonOf = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
/** The contract covers both editions. */
const editions: readonly Edition[] = ['v1', 'ext']
const rules = 'What was released changes by additions only; docs/contract-released/README.md has the rules.'

interface Correction {
  readonly document: string
  /** A sentence about a breaking change. * matches anything. */
  readonly break: string
  readonly reason: string
}
const corrections: readonly Correction[] = jsonOf(join(released, 'corrections.json'))

describe('Compared with its last release, the contract', () => {
  const folders: string[] = []
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })

  /** Returns the breaks that buf finds in a file of commands, compared with the released one. */
  function judge(edition: Edition, proto: string): string[] {
    const folder = mkdtempSync(join(tmpdir(), 'tracker-proto-'))
    folders.push(folder)
    for (const { file } of Object.values(packages)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      const text = file === packages[edition].file ? proto : readFileSync(join(released, file))
      writeFileSync(join(folder, file), text)
    }
    const { hasPassed, output } = bufBreaking(folder, released)
    const breaks = output
      .trim()
      .split('\n')
      .map((line) => line.replace(/^.*?:\d+:\d+:/, ''))
    return hasPassed ? [] : breaks
  }

  function assertCorrected(document: string, breaks: readonly string[], advice = rules) {
    const allowed = corrections.filter((correction) => correction.document === document)
    const rejected = breaks.filter((found) => !allowed.some((correction) => isMeant(correction, found)))
    assert.deepEqual(rejected, [], advice)
    const unused = allowed.filter((correction) => !breaks.some((found) => isMeant(correction, found)))
    assert.deepEqual(unused, [], 'These corrections correct nothing any more.')
  }

  for (const edition of editions)
    test(`of the commands of ${edition} has additions only, as buf breaking judges it`, () => {
      const advice = `${rules} A field keeps its number, name and type; a new one takes a new number.`
      assertCorrected(
        packages[edition].file,
        judge(edition, protoFile(edition, commandsOfEdition(edition))),
        advice,
      )
    })

  test('of the commands beyond version 1 would not pass without one of them', () => {
    const proto = protoFile('ext', commandsOfEdition('ext')).replace(/ {2}rpc RemoveComment\(.*\n/, '')
    assert.match(
      judge('ext', proto).join('\n'),
      /Previously present RPC "RemoveComment" on service "Commands" was deleted/,
    )
  })

  test('of the commands would not pass with two numbers swapped', () => {
    const swapped = protoFile('v1', commandsOfEdition('v1'))
      .replaceAll('optional string project_id = 7;', 'optional string project_id = 8 ;')
      .replaceAll('optional string workflow_id = 8;', 'optional string workflow_id = 7;')
    assert.match(
      judge('v1', swapped).join('\n'),
      /Field "7" on message "CreateAssignmentCommand" changed name from "project_id" to "workflow_id"/,
    )
  })

  for (const { file } of Object.values(packages))
    test(`of ${file} has new fields only at numbers that older clients leave alone`, () => {
      const before = fieldsIn(join(released, file))
      const now = fieldsIn(join(docs, 'contract', file))
      // Pagination is not part of any update.
      const messages = [...before].filter(([message]) => message !== 'Pagination')
      const added = messages.flatMap(([message, fields]) =>
        [...(now.get(message) ?? [])]
          .filter(([name]) => !fields.has(name))
          .map(([name, number]) => ({ name: `${message}.${name}`, number })),
      )
      for (const { name, number } of added)
        assert.ok(
          number >= neverClearedNumberMin,
          `${name} is new and has number ${number}: take one from ${neverClearedNumberMin} on. Those below are cleared by an update that leaves them out, as clients do that do not know them.`,
        )
    })

  for (const document of [
    'rest.v1.json',
    'identity.v1.json',
    'extensions.v1.json',
    'identity-extensions.v1.json',
  ]) {
    test(`of ${document} has only additions and listed corrections`, () => {
      const before = jsonOf(join(released, document))
      assertCorrected(document, openApiBreaks(before, jsonOf(join(docs, 'contract', document))))
    })
  }

  test('has no corrections left from release 1.0.0 on', () => {
    const { version } = jsonOf(join(docs, '..', 'package.json'))
    if (Number.parseInt(version, 10) >= 1) assert.deepEqual(corrections, [], rules)
    for (const { reason } of corrections) assert.ok(reason.length > 20, 'Each has a reason.')
  })
})

const isMeant = ({ break: pattern }: Correction, found: string): boolean =>
  new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(found)

const bufBin = createRequire(import.meta.url).resolve('@bufbuild/buf/bin/buf')

/** Runs buf from its npm package, without downloading anything. */
function buf(words: readonly string[], cwd: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bufBin, ...words], {
    cwd,
    encoding: 'utf8',
    timeout: bufMilliseconds,
  })
  return { hasPassed: status === 0, output: `${stdout}${stderr}` }
}

const bufMilliseconds = 60_000

/** The strictest rules of buf. */
const breakingConfiguration = JSON.stringify({ version: 'v2', breaking: { use: ['FILE'] } })

/** Runs `buf breaking` on two folders of .proto files. */
const bufBreaking = (current: string, released: string) =>
  buf(['breaking', current, '--against', released, '--config', breakingConfiguration], current)

/** Returns the fields of every message in a .proto file, with their numbers. */
function fieldsIn(path: string): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const { fileDescriptorProtos } = Object.values(loadSync(path)).find(
    (loaded) => 'fileDescriptorProtos' in loaded,
  ) as unknown as { readonly fileDescriptorProtos: readonly Buffer[] }
  const files = fileDescriptorProtos.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes))
  return new Map(
    files
      .flatMap(({ messageType }) => messageType)
      .map(({ name, field }) => [name, new Map(field.map((field) => [field.name, field.number]))]),
  )
}
