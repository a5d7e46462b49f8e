import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertEnvelope } from '../support/assertions.ts'
import { type AttachmentScene, attachmentScene, openUpload, sha256 } from '../support/attachment-scene.ts'
import { freePort } from '../support/child-host.ts'
import { nginxProgram, startNginxOn } from '../support/nginx.ts'
import { until } from '../support/until.ts'

/** Tests the proxy of `deploy/nginx/` in front of a running host. */
describe('Through nginx', {
  skip: nginxProgram === undefined && 'nginx is not installed: its configuration stays untested',
}, () => {
  let scene: AttachmentScene
  let nginx: Awaited<ReturnType<typeof startNginxOn>>
  let address: string
  before(async () => {
    scene = await attachmentScene()
    const [restPort, ...otherPorts] = await Promise.all([freePort(), freePort(), freePort(), freePort()])
    address = `http://127.0.0.1:${restPort}`
    nginx = await startNginxOn('nginx/proxy.conf', (text) =>
      text
        .replace('server rest:5100', `server ${new URL(scene.rest.address).host}`)
        .replace(/server (web|identity|commands):\d+/g, 'server 127.0.0.1:9')
        .replace('listen 5100', `listen 127.0.0.1:${restPort}`)
        .replace('listen 5400', `listen 127.0.0.1:${otherPorts[0]}`)
        .replace('listen 5200', `listen 127.0.0.1:${otherPorts[1]}`)
        .replace('listen 5300', `listen 127.0.0.1:${otherPorts[2]}`),
    )
  })
  after(async () => {
    await nginx.stop()
    await scene.stop()
  })

  test('the largest file is uploaded and downloaded, in any spelling of the path', async () => {
    const bytes = Buffer.alloc(25 * 1024 ** 2, 'x')
    const { id } = await scene.attach(bytes, { address })
    assert.equal(sha256((await scene.download(id, { address })).bytes), sha256(bytes))
    const query = new URLSearchParams({ assignmentId: scene.assignmentId, name: 'large' })
    const { status } = await fetch(`${address}/EXT/Attachment/?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${scene.member.token}` },
      body: bytes,
    })
    assert.equal(status, 200)
  })

  test('a larger file is rejected by the host', async () => {
    const upload = openUpload(scene, { address, length: 25 * 1024 ** 2 + 1 })
    await upload.write('x')
    assertEnvelope(await upload.answer, 413)
    upload.cut()
  })

  test('an upload without rights gets its response before the body has arrived', async () => {
    const upload = openUpload(scene, { address, by: scene.stranger, length: 1000 })
    await upload.write('x')
    assertEnvelope(await upload.answer, 400, ['assignmentId'])
    upload.cut()
  })

  test('an interrupted upload leaves nothing behind', async () => {
    const countBefore = (await scene.storedFiles()).length
    const upload = openUpload(scene, { address, length: 1000 })
    await upload.write('x')
    await until(async () => (await scene.storedFiles()).length > countBefore, 'the body to pass the proxy')
    upload.cut()
    await until(async () => (await scene.storedFiles()).length === countBefore, 'the file to be deleted')
  })
})
