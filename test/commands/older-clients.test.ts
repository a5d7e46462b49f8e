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
import { impediment } from '../../src/resources/catalogs.ts'
import { defineResource } from '../../src/resources/define-resource.ts'
import { fixture } from '../support/fixture.ts'
import { freshContext } from '../support/fresh-context.ts'

/**
 * Declares impediments as a later release might. The number of `note` is so high that an update which omits
 * the field does not clear it.
 */
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

describe('A field of a later release', () => {
  const fresh = fixture(freshContext)
  before(async () => {
    await fresh.context.database.query(sql`alter table impediments add column note text`)
  })

  /** Encodes a request like the client, decodes it like the host, and runs it. */
  async function send(
    encoding: Encoding,
    client: UnaryCommand,
    host: UnaryCommand,
    request: Content,
  ): Promise<Content> {
    const received = encoding.reader(host.request)(encoding.writer(client.request)(request))
    const result = await host.run(fresh.context, fresh.administrator, received)
    return encoding.reader(client.result)(encoding.writer(host.result)({ success: true, ...result }))
  }
  const noteOf = async (id: unknown) => {
    const result = await later.get.run(fresh.context, fresh.administrator, { id })
    return (result.impediment as Content).note
  }
  async function createWithNote(note: string): Promise<string> {
    const body = { name: 'Rain', note }
    const { impediment } = (await later.create?.run(fresh.context, fresh.administrator, body)) ?? {}
    return String((impediment as Content).id)
  }

  for (const [name, encoding] of Object.entries(encodings)) {
    test(`stays unchanged when an earlier client updates other fields, over ${name}`, async () => {
      const id = await createWithNote('stays')
      await send(encoding, earlier.update, later.update, { id, name: 'Snow' })
      assert.equal(await noteOf(id), 'stays')
    })

    test(`is ignored by an earlier client that reads the record, over ${name}`, async () => {
      const id = await createWithNote('unknown to some')
      const result = await send(encoding, earlier.get, later.get, { id })
      assert.equal((result.impediment as Content).name, 'Rain')
      assert.equal('note' in (result.impediment as Content), false)
    })

    test(`is never cleared by earlier clients in a race with later ones, over ${name}`, async () => {
      const id = await createWithNote('0')
      const seen = new Set<unknown>()
      const retried = async (run: () => Promise<unknown>): Promise<void> => {
        await run().catch((error: unknown) => {
          if (error instanceof Problem && error.kind === 'contended') return retried(run)
          throw error
        })
      }
      await Promise.all(
        Array.from({ length: 15 }, async (_, index) => {
          await retried(() => send(encoding, earlier.update, later.update, { id, name: `Old ${index}` }))
          seen.add(await noteOf(id))
          await retried(() =>
            send(encoding, later.update, later.update, { id, name: `New ${index}`, note: `${index}` }),
          )
        }),
      )
      assert.ok(![...seen, await noteOf(id)].some((note) => note === null || note === undefined))
    })
  }

  test('is ignored by an earlier host', async () => {
    const { id } = await fresh.make('impediment', { name: 'Rain' })
    await send(protobuf, later.update, earlier.update, { id, name: 'Sun', note: 'lost on the host' })
    const result = await earlier.get.run(fresh.context, fresh.administrator, { id })
    assert.equal((result.impediment as Content).name, 'Sun')
  })
})

describe('An update in protobuf', () => {
  const { update, get } = commandsOf(resourceNamed('organization'))
  const fresh = fixture(freshContext)

  async function descriptionAfterUpdate(request: Content): Promise<unknown> {
    const { id } = await fresh.make('organization', { name: 'Works', description: 'As it was' })
    const bytes = protobuf.writer(update.request)({ id, name: 'Works', ...request })
    await update.run(fresh.context, fresh.administrator, protobuf.reader(update.request)(bytes))
    const result = await get.run(fresh.context, fresh.administrator, { id })
    return (result.organization as Content).description
  }

  test('clears an optional field of the first release if it omits the field, as in that release', async () => {
    assert.equal(await descriptionAfterUpdate({}), null)
  })

  test('does not change a field that its mask does not name', async () => {
    assert.equal(await descriptionAfterUpdate({ updateMask: {} }), 'As it was')
    assert.equal(
      await descriptionAfterUpdate({ updateMask: { paths: ['name'] }, description: 'New' }),
      'As it was',
    )
  })

  test('writes or clears the fields that its mask names', async () => {
    assert.equal(
      await descriptionAfterUpdate({ updateMask: { paths: ['description'] }, description: 'New' }),
      'New',
    )
    assert.equal(await descriptionAfterUpdate({ updateMask: { paths: ['description'] } }), null)
  })

  test('is rejected when its mask names an unknown field', async () => {
    for (const path of ['colour', '__proto__', '']) {
      await assert.rejects(descriptionAfterUpdate({ updateMask: { paths: [path] } }), {
        errors: { updateMask: ['UpdateMask must name fields of Organization.'] },
      })
    }
  })
})
