import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import fc from 'fast-check'
import { dotnetPath, startDotnetUnderTest } from '../support/dotnet-calls.ts'
import { fixture } from '../support/fixture.ts'
import { blockArray, framed, lengthsAndBlocks, lz4Block, wholeBlock } from '../support/lz4-encoder.ts'
import { array, bin, encode, extension, map, text } from '../support/message-pack-encoder.ts'

const megabytes = (count: number) => count * 1024 ** 2

/** The statuses that arbitrary bytes may lead to; INTERNAL and a lost connection are not among them. */
const harmless = new Set([status.OK, status.INVALID_ARGUMENT, status.RESOURCE_EXHAUSTED])

describe('A hostile body from a .NET client', () => {
  const dotnet = fixture(startDotnetUnderTest)

  const send = (entity: string, name: string, body: Buffer) =>
    dotnet.calls.send(dotnetPath(entity, `${name}Command`), body, dotnet.commands.administrator)
  const codeOf = async (body: Buffer, entity = 'Project', name = 'UpdateProject') =>
    status[(await send(entity, name, body)).code]
  const assertHarmless = async (body: Buffer, entity = 'Project', name = 'UpdateProject') => {
    const { code, details } = await send(entity, name, body)
    assert.ok(harmless.has(code), `${status[code]} ${details}: ${body.subarray(0, 200).toString('hex')}`)
  }
  const update = (): Buffer =>
    encode({
      Id: dotnet.workspace.ids.ProjectId,
      Name: 'Updated Project',
      OrganizationId: dotnet.workspace.ids.OrganizationId,
      ExpectedVersion: null,
    })

  test('that claims gigabytes is rejected', async () => {
    const block = lz4Block(update())
    const { rss } = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    for (const length of [megabytes(4) + 1, 2 ** 31 - 1, 2 ** 32 - 1, Number.MAX_SAFE_INTEGER]) {
      assert.equal(await codeOf(lengthsAndBlocks([length], [block])), 'RESOURCE_EXHAUSTED')
      assert.equal(await codeOf(wholeBlock(block, encode(length), block)), 'RESOURCE_EXHAUSTED')
    }
    const bomb = lz4Block(Buffer.alloc(megabytes(4)))
    assert.ok(bomb.length < 17_000)
    assert.equal(
      await codeOf(lengthsAndBlocks(Array(200).fill(megabytes(4)), Array(200).fill(bomb))),
      'RESOURCE_EXHAUSTED',
    )
    for (const length of [-1, -(2 ** 31)]) {
      assert.equal(await codeOf(lengthsAndBlocks([length], [block])), 'INVALID_ARGUMENT')
    }
    const used = process.cpuUsage({ user, system })
    assert.ok(used.user + used.system < 3_000_000, 'within 3 s of processor time')
    assert.ok(process.memoryUsage().rss - rss < megabytes(200))
  })

  test('that expands to the largest valid message is answered in bounded time and memory', async () => {
    const size = megabytes(4) - 100
    const claimed = (items: number, width: 2 | 4 = 4) => array([], width, items)
    const listOf = (item: number) => Buffer.concat([claimed(size), Buffer.alloc(size, item)])
    const bombs = [
      { entity: 'Project', name: 'RemoveProject', body: map([['Ids', listOf(0)]]) },
      { entity: 'Project', name: 'RemoveProject', body: map([['Ids', listOf(0xa0)]]) },
      { entity: 'Project', name: 'UpdateProject', body: map([['Extra', listOf(0)]]) },
      { entity: 'Project', name: 'UpdateProject', body: map([['Name', 'x'.repeat(size)]]) },
      { entity: 'User', name: 'CreateUser', body: map([['Password', 'x'.repeat(size)]]) },
      {
        entity: 'Project',
        name: 'ListProjects',
        body: encode({ Pagination: { Ids: 'a,'.repeat(size / 2) } }),
      },
      {
        entity: 'Project',
        name: 'ListProjects',
        body: encode({ Pagination: { Search: ' '.repeat(size), SortOrder: 'x'.repeat(20) } }),
      },
    ]
    for (const { entity, name, body } of bombs) {
      const small = framed(body)
      assert.ok(small.length < 20_000)
      const { arrayBuffers, heapUsed } = process.memoryUsage()
      await assertHarmless(small, entity, name)
      const after = process.memoryUsage()
      assert.ok(after.arrayBuffers + after.heapUsed - arrayBuffers - heapUsed < megabytes(400), name)
    }
  })

  test('that is larger than a message may be is rejected', async () => {
    const large = (length: number) => map([['Extra', bin(Buffer.alloc(length))]])
    assert.equal(await codeOf(large(megabytes(4))), 'RESOURCE_EXHAUSTED')
    assert.equal(await codeOf(framed(large(megabytes(4)))), 'RESOURCE_EXHAUSTED')
    const blocks = Array(5).fill(Buffer.alloc(megabytes(1)))
    assert.equal(await codeOf(blockArray(blocks)), 'RESOURCE_EXHAUSTED')
  })

  test('that is cut off at any byte, plain or compressed, changes nothing', async () => {
    const { ProjectId: Id } = dotnet.workspace.ids
    const version = async () =>
      (await dotnet.workspace.call('Project', 'GetProjectById', { Id })).Project.UpdatedAt
    const before = await version()
    for (const body of [update(), framed(update()), wholeBlock(update())]) {
      const codes = await Promise.all(
        Array.from({ length: body.length }, (_, length) => codeOf(body.subarray(0, length))),
      )
      assert.deepEqual(new Set(codes), new Set(['INVALID_ARGUMENT']))
    }
    assert.equal(await version(), before)
  })

  test('with any one byte changed is executed or rejected', async () => {
    for (const body of [update(), framed(update())]) {
      const mutants = Array.from(body, (byte, at) => {
        const mutant = Buffer.from(body)
        // Adds 1 to 255, depending on the position, so that the byte always changes.
        mutant[at] = (byte + 1 + ((at * 89) % 255)) & 0xff
        return mutant
      })
      await Promise.all(mutants.map((mutant) => assertHarmless(mutant)))
    }
  })

  test('of arbitrary bytes is executed or rejected', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), (bytes) => assertHarmless(Buffer.from(bytes))),
      { numRuns: 300 },
    )
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), (bytes) => assertHarmless(blockArray([bytes]))),
      { numRuns: 200 },
    )
  })

  test('with arbitrary JSON under the known keys is executed or rejected', async () => {
    const anything = fc.option(fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.uuid()), { freq: 8 })
    const body = fc.record({
      Id: anything,
      Ids: anything,
      Name: anything,
      Description: anything,
      Order: anything,
      Pagination: anything,
      ExpectedVersion: anything,
      Password: anything,
      KeepDate: anything,
      AmountHours: anything,
      AssignmentId: anything,
      UserId: anything,
    })
    const commands = fc.constantFrom(
      ...(['Project', 'Workflow', 'User', 'Appointment'] as const).flatMap((entity) =>
        [`Create${entity}`, `Get${entity}ById`, `List${entity}s`, `Remove${entity}`, `Update${entity}`].map(
          (name) => ({ entity, name }),
        ),
      ),
    )
    await fc.assert(
      fc.asyncProperty(commands, body, ({ entity, name }, fields) =>
        assertHarmless(framed(encode(fields)), entity, name),
      ),
      { numRuns: 400 },
    )
  })

  test('with nesting of a hundred thousand levels is skipped or rejected', async () => {
    const { ProjectId } = dotnet.workspace.ids
    const arrays = Buffer.concat([Buffer.alloc(100_000, 0x91), encode(1)])
    const maps = Buffer.concat([...Array(100_000).fill(Buffer.of(0x81, 0xa0)), encode(1)])
    for (const deep of [arrays, maps]) {
      const found = await send('Project', 'GetProjectById', framed(encode({ Extra: deep, Id: ProjectId })))
      assert.equal(found.result.Success, true)
      assert.equal(await codeOf(encode({ Id: deep })), 'INVALID_ARGUMENT')
      assert.equal(await codeOf(deep), 'INVALID_ARGUMENT')
      assert.equal(await codeOf(deep.subarray(0, -1)), 'INVALID_ARGUMENT')
    }
    assert.equal(await codeOf(encode({ Pagination: arrays }), 'Project', 'ListProjects'), 'INVALID_ARGUMENT')
  })

  test('that claims four billion entries or bytes is rejected', async () => {
    const claimed = 2 ** 32 - 1
    const claims = [
      map([], 4, claimed),
      array([], 4, claimed),
      // Text, bytes and an extension, each with a length of 32 bits.
      Buffer.from('dbffffffff', 'hex'),
      Buffer.from('c6ffffffff', 'hex'),
      Buffer.from('c9ffffffffff', 'hex'),
    ]
    for (const claim of claims) {
      for (const body of [claim, encode({ Extra: claim }), encode({ Ids: claim }), encode({ Name: claim })]) {
        assert.equal(await codeOf(body, 'Project', 'RemoveProject'), 'INVALID_ARGUMENT')
      }
    }
  })

  test('with extensions of every length and type is executed or rejected', async () => {
    const lengths = [...Array(40).keys(), 255, 256, 65_535, 65_536]
    const bodies = lengths.flatMap((length) =>
      [-128, -1, 0, 98, 99, 127].map((type) => extension(type, Buffer.alloc(length, 0x01))),
    )
    await Promise.all(
      bodies.flatMap((value) => [
        assertHarmless(value),
        assertHarmless(encode({ Id: value, Name: value })),
        assertHarmless(encode({ Id: dotnet.workspace.ids.ProjectId, ExpectedVersion: value })),
        assertHarmless(array([value, bin(Buffer.of(0x10, 0x80))])),
      ]),
    )
  })

  test('with text that is not UTF-8 is rejected', async () => {
    const Id = randomUUID()
    for (const bytes of ['ff', '41c3', 'c080', 'eda080', 'f8888080']) {
      const body = encode({ Id, Name: text(Buffer.from(bytes, 'hex')) })
      assert.equal(await codeOf(body, 'Impediment', 'CreateImpediment'), 'INVALID_ARGUMENT')
    }
    const body = encode({ Id, Name: 'with a NUL \0' })
    const { code, details } = await send('Impediment', 'CreateImpediment', body)
    assert.deepEqual(
      [code, details],
      [status.INVALID_ARGUMENT, 'Name contains a character that cannot be stored.'],
    )
    assert.equal((await dotnet.workspace.call('Impediment', 'GetImpedimentById', { Id })).Success, false)
  })

  test('followed by more bytes is rejected', async () => {
    for (const body of [update(), framed(update()), wholeBlock(update())]) {
      for (const more of [Buffer.of(0), Buffer.of(0xc0), body]) {
        assert.equal(await codeOf(Buffer.concat([body, more])), 'INVALID_ARGUMENT')
      }
    }
    const inside = framed(Buffer.concat([update(), encode({})]))
    assert.equal(await codeOf(inside), 'INVALID_ARGUMENT')
  })
})
