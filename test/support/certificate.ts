import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

export interface Certificate {
  /** Contains `certificate.pem` and `key.pem`. */
  readonly folder: string
  /** The certificate. It is self-signed and therefore its own authority. */
  readonly ca: string
  readonly key: string
}

/** Creates a certificate for these names with openssl. It is deleted after the test. */
export function makeCertificate(context: Pick<TestContext, 'after'>, names: readonly string[]): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'tls-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', 'key.pem']
  const subject = [
    '-subj',
    '/CN=example.com',
    '-addext',
    `subjectAltName=${names.map((name) => `${isIP(name) ? 'IP' : 'DNS'}:${name}`)}`,
  ]
  execFileSync('openssl', ['req', ...key, '-x509', '-days', '2', ...subject, '-out', 'certificate.pem'], {
    cwd: folder,
    stdio: 'ignore',
  })
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  return { folder, ca: read('certificate.pem'), key: read('key.pem') }
}

export const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()
