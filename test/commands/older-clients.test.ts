import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { commandsOf, type UnaryCommand } from '../../src/hosts/commands/commands.ts'
import { messagePack } from '../../src/hosts/commands/dotnet/message-pack.ts'
import type { Content, Encoding } from '../../src/hosts/commands/message.ts'
import { protobuf } from '../../src/hosts/commands/protobuf/protobuf.ts'
import { catalog } from '../../src/model/access-rule.ts'
import { optional } from '../../src/model/field.ts'
import { text } from '../../src/model/field-kinds.ts'
import { Problem } from '../../src/model/problem.ts'
import { resourceNamed } from '../../src/resources/all.ts'
import { defineResource } from '../../src/resources/define-resource.ts'
import { impediment } from '../../src/resources/impediment.ts'
import { fixture } from '../support/fixture.ts'
import { freshContext } from '../support/fresh-context.ts'

/** Impediments as a later release might declare them, with a number that updates of earlier clients never clear. */
const laterImpediment = defineResource({
  name: impediment.name,
  table: impediment.table,
  edition: 'v1',
  access: catalog,
  fields: { ...impediment.fields, note: optional(500, text({ max: 100 })) },
})
const earlier = commandsOf(impediment)
const later = commandsOf(laterImpediment)

const encodings: Readonly<Record<string, Encoding>> = { protobuf, '.NET': messagePack }

describe('A client that was made before a field existed', () => {
  const setting = fixture(freshContext)
  before(async () => {
    await setting.context.database.query(sql`alter table impediments add column note text`)
  })

  /** Writes the request as a client with these commands does, and runs what the host with those reads of it. */
  async function send(
    encoding: Encoding,
    client: UnaryCommand,
    host: UnaryCommand,
    request: Content,
  ): Promise<Content> {
    const received = encoding.reader(host.request)(encoding.writer(client.request)(request))
    const result = await host.run(setting.context, setting.administrator, received)
    return encoding.reader(client.result)(encoding.writer(host.result)({ success: true, ...result }))
  }
  const noteOf = async (id: unknown) => {
    const result = await later.get.run(setting.context, setting.administrator, { id })
    return (result.impediment as Content).note
  }
  const makeNoted = create
  async function create(note: string): Promise<string> {
    const { create } = later
    assert.ok(create)
    const result = await create.run(setting.context, setting.administrator, { name: 'Rain', note })
    return String((result.impediment as Content).id)
  }

  for (const [name, encoding] of Object.entries(encodings)) {
    test(`changes the others and leaves it alone, over ${name}`, async () => {
      const id = await makeNoted('stays')
      await send(encoding, earlier.update, later.update, { id, name: 'Snow' })
      assert.equal(await noteOf(id), 'stays')
    })

    test(`reads a record that has it, over ${name}`, async () => {
      const id = await makeNoted('unknown to some')
      const result = await send(encoding, earlier.get, later.get, { id })
      assert.equal((result.impediment as Content).name, 'Rain')
      assert.equal('note' in (result.impediment as Content), false)
    })

    test(`never clears it in a race with clients that know it, over ${name}`, async () => {
      const id = await makeNoted('0')
      const seen = new Set<unknown>()
      const retried = async (run: () => Promise<unknown>): Promise<void> => {
        await run().catch((error: unknown) => {
          if (error instanceof Problem && error.kind === 'contended') return retried(run)
          throw error
        })
      }
      await Promise.all(
        Array.from({ length: 15 }, async (_, turn) => {
          await retried(() => send(encoding, earlier.update, later.update, { id, name: `Old ${turn}` }))
          seen.add(await noteOf(id))
          await retried(() =>
            send(encoding, later.update, later.update, { id, name: `New ${turn}`, note: `${turn}` }),
          )
        }),
      )
      assert.ok(![...seen, await noteOf(id)].some((note) => note === null || note === undefined))
    })
  }

  test('is understood by a host that is older than the client', async () => {
    const { id } = await setting.make('impediment', { name: 'Rain' })
    await send(protobuf, later.update, earlier.update, { id, name: 'Sun', note: 'lost on the host' })
    const result = await earlier.get.run(setting.context, setting.administrator, { id })
    assert.equal((result.impediment as Content).name, 'Sun')
  })
})

describe('An update by a message', () => {
  const { update, get } = commandsOf(resourceNamed('organization'))
  const setting = fixture(freshContext)

  async function afterUpdate(request: Content): Promise<unknown> {
    const { id } = await setting.make('organization', { name: 'Works', description: 'As it was' })
    const bytes = protobuf.writer(update.request)({ id, name: 'Works', ...request })
    await update.run(setting.context, setting.administrator, protobuf.reader(update.request)(bytes))
    const result = await get.run(setting.context, setting.administrator, { id })
    return (result.organization as Content).description
  }

  test('clears an optional field of the first release that it leaves out, as it always did', async () => {
    assert.equal(await afterUpdate({}), null)
  })

  test('leaves alone what its mask does not name, given or not', async () => {
    assert.equal(await afterUpdate({ updateMask: {} }), 'As it was')
    assert.equal(await afterUpdate({ updateMask: { paths: ['name'] }, description: 'New' }), 'As it was')
  })

  test('writes or clears what its mask names', async () => {
    assert.equal(await afterUpdate({ updateMask: { paths: ['description'] }, description: 'New' }), 'New')
    assert.equal(await afterUpdate({ updateMask: { paths: ['description'] } }), null)
  })

  test('is rejected when its mask names what the resource does not have', async () => {
    for (const path of ['colour', '__proto__', '']) {
      await assert.rejects(afterUpdate({ updateMask: { paths: [path] } }), {
        errors: { updateMask: ['UpdateMask must name fields of Organization.'] },
      })
    }
  })
})
