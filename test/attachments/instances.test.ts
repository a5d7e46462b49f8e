import assert from 'node:assert/strict'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { readAttachmentSettings } from '../../src/config/host-settings.ts'
import { readSettings } from '../../src/config/settings.ts'
import { raw } from '../../src/db/sql.ts'
import { openDiskStore } from '../../src/features/attachments/file-store.ts'
import { assertEnvelope } from '../support/assertions.ts'
import { attachmentScene } from '../support/attachment-scene.ts'
import { fixture } from '../support/fixture.ts'
import { until } from '../support/until.ts'

const settingsIn = (DATA_DIR: string) => readSettings({ DATA_DIR }, readAttachmentSettings)

describe('The folder of attachments', () => {
  const scene = fixture(attachmentScene, { METRICS: 'true', LOG_LEVEL: 'fatal' })
  let elsewhere: string
  before(async () => {
    elsewhere = await mkdtemp(join(tmpdir(), 'elsewhere-'))
  })
  after(() => rm(elsewhere, { recursive: true, force: true }))

  test('has one identity, whichever of several instances has created it', async () => {
    const folder = join(elsewhere, 'shared')
    const names = await Promise.all(Array.from({ length: 8 }, () => openDiskStore(folder).identity()))
    assert.equal(new Set(names).size, 1)
    assert.match(String(names[0]), /^[0-9a-f-]{36}$/)
    assert.notEqual(await openDiskStore(join(elsewhere, 'other')).identity(), names[0])
  })

  test('is shared by instances', async () => {
    const countFolders = async () => {
      const rows = await scene.rest.database.query<{ value: string }>(
        raw(
          `select distinct settings ->> 'Attachments (folder or bucket)' as value from instances where host = 'rest'`,
        ),
      )
      return rows.length
    }
    const { address } = await scene.rest.startAnother()
    assert.equal(await countFolders(), 1)
    const { id } = await scene.attach('shared')
    assert.equal(String((await scene.download(id, { address })).bytes), 'shared')
    const other = await scene.rest.startAnother({ attachments: settingsIn(join(elsewhere, 'alone')) })
    assert.equal(await countFolders(), 2)
    assert.equal((await scene.download(id, { address: other.address })).status, 503)
  })

  test('is cleared of uploads that a crash has interrupted, when a host starts', async () => {
    const left = join(scene.rest.dataDirectory, 'attachments', 'uploads', 'left.part')
    await writeFile(left, 'x')
    const hoursAgo = new Date(Date.now() - 2 * 60 * 60_000)
    await utimes(left, hoursAgo, hoursAgo)
    await scene.rest.startAnother()
    await until(async () => !(await scene.storedFiles()).includes('left.part'), 'the upload to be deleted')
  })

  test('that cannot be used makes only files unavailable', async () => {
    const broken = join(elsewhere, 'broken')
    await writeFile(broken, 'not a folder')
    const { address } = await scene.rest.startAnother({ attachments: settingsIn(broken) })
    assertEnvelope(await scene.upload('x', { address }), 503)
    const { status } = await fetch(`${address}/ext/attachments`, {
      headers: { authorization: `Bearer ${scene.member.token}` },
    })
    assert.equal(status, 200)
  })

  test('has metrics of the bytes that are stored and served', async () => {
    const bytes = async (direction: string) => {
      const { body } = await scene.rest.call('GET', '/metrics')
      return Number(
        new RegExp(`^attachment_bytes_total\\{direction="${direction}"\\} (\\d+)$`, 'm').exec(body)?.[1],
      )
    }
    const [stored, served] = [await bytes('stored'), await bytes('served')]
    const { id } = await scene.attach('0123456789')
    await scene.download(id, { headers: { range: 'bytes=0-3' } })
    assert.deepEqual([(await bytes('stored')) - stored, (await bytes('served')) - served], [10, 4])
  })
})
