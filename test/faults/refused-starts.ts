import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, spawnStart, startChild } from '../support/child-host.ts'

export function testRefusedStarts() {
  describe('npm start, when it cannot,', { concurrency: true }, () => {
    let folder: string

    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'tracker-refused-'))
      chmodSync(folder, 0o711)
    })
    after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

    async function refusal(environment: Record<string, string>, words?: string[]) {
      const child = spawnStart(environment, words)
      const code = await child.exited
      return { code, output: child.output() }
    }
    function assertSentence(
      { code, output }: { code: number | string; output: string },
      ...wanted: RegExp[]
    ) {
      assert.equal(code, 1, `Exit code ${code}: ${output}`)
      for (const pattern of wanted) assert.match(output, pattern)
      assert.doesNotMatch(output, /\n\s+at /, 'A sentence, not a stack.')
    }

    test('says which port is taken and how to choose another', async () => {
      const server = createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as { port: number }
      const taken = await refusal({ DATA_DIR: join(folder, 'port'), REST_PORT: String(port) })
      server.close()
      assertSentence(taken, new RegExp(String(port)), /REST_PORT/)
      assert.equal(
        existsSync(join(folder, 'port', 'postgres', 'postmaster.pid')),
        false,
        'The database still runs.',
      )
    })

    test('reports all mistakes in the configuration at once, before it touches the disk', async () => {
      const dataDirectory = join(folder, 'configuration')
      const wrong = await refusal({
        DATA_DIR: dataDirectory,
        DATABASE_URL: 'mysql://localhost/x',
        REST_PORT: 'abc',
        Jwt__Issuer: 'nonsense',
        LOG_LEVEL: 'loud',
        Auth__SessionValidationCacheSeconds: '-1',
        RateLimit__Rest__QueueLimit: 'many',
        Cors__AllowedOrigins__3: 'https://app.example.com/path',
        ASPNETCORE_FORWARDEDHEADERS_ENABLED: 'perhaps',
      })
      assertSentence(
        wrong,
        /DATABASE_URL/,
        /REST_PORT/,
        /Jwt__Issuer/,
        /LOG_LEVEL/,
        /Auth__SessionValidationCacheSeconds/,
        /RateLimit__Rest__QueueLimit/,
        /Cors__AllowedOrigins/,
        /ASPNETCORE_FORWARDEDHEADERS_ENABLED/,
      )
      assert.equal(existsSync(dataDirectory), false)
    })

    test('names the hosts there are when it is asked for another', async () => {
      assertSentence(await refusal({ DATA_DIR: join(folder, 'host') }, ['nothing']), /nothing/, /rest/)
    })

    test('says that the database of DATABASE_URL does not answer', async () => {
      const port = await freePort()
      const url = `postgresql://someone:secret@127.0.0.1:${port}/tracker`
      const gone = await refusal({ DATABASE_URL: url, REST_PORT: String(await freePort()) })
      assertSentence(gone, /DATABASE_URL|database|127\.0\.0\.1/i)
      assert.doesNotMatch(gone.output, /secret/)
    })

    // A kill -9 between the two steps does the same, but only once in a while.
    test('keep the demo password, leaves no account with an unknown password', async () => {
      const dataDirectory = join(folder, 'first')
      const file = join(dataDirectory, 'demo-password')
      mkdirSync(file, { recursive: true })
      chmodSync(dataDirectory, 0o711)
      const environment = { DATA_DIR: dataDirectory, REST_PORT: String(await freePort()) }
      const first = spawnStart(environment)
      const code = await Promise.race([first.exited, sleep(30_000, 'still running')])
      assert.equal(code, 1, first.output())
      assert.match(first.output(), /demo-password/)
      rmdirSync(file)
      const second = await startChild(environment)
      for (let waits = 0; waits < 50 && !second.output().includes('Ctrl-C'); waits += 1) await sleep(20)
      const output = second.output()
      await second.end('SIGTERM')
      const isKept = existsSync(file)
      assert.ok(isKept, `The account is there, its password is nowhere:\n${output}`)
      assert.match(output, /demo-password/)
    })
  })
}
