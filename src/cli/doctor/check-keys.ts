import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import type { IdentitySettings } from '../../hosts/identity/configuration.ts'
import { createSecretBox } from '../../hosts/identity/keys/secret-box.ts'
import { type Finding, fine, look, wrong } from './finding.ts'

type KeySettings = Pick<IdentitySettings, 'keySecret' | 'dataDirectory' | 'isStoreShared'>

/** Whether the secret of this machine opens the keys that the store holds now. */
export async function checkKeys(client: pg.Client, settings: KeySettings): Promise<Finding> {
  const { rows: tables } = await client.query(`select to_regclass('identity_keys') as name`)
  if (tables[0]?.name === null) return look('keys', 'the store has no schema yet', 'The next start makes it.')
  const { rows } = await client.query<{ id: string; purpose: string; sealed: Buffer }>(
    `select id, purpose, sealed from identity_keys where now() between starts_at and ends_at`,
  )
  if (rows.length === 0)
    return look('keys', 'there are none yet', 'The identity host makes them at its start.')
  const secret = settings.keySecret ?? (await keptSecret(settings.dataDirectory))
  const closed = rows.filter(
    ({ id, purpose, sealed }) =>
      !secret || createSecretBox(secret, `${purpose} keys`).open(sealed, id) === undefined,
  )
  if (closed.length > 0)
    return wrong(
      'keys',
      `${closed.length} of ${rows.length} do not open with this machine's secret`,
      'Set Jwt__SigningKey to the secret of the other instances, or put identity-secret back from a backup.',
    )
  if (settings.isStoreShared && settings.keySecret === undefined)
    return look(
      'keys',
      'the secret is a file of this machine',
      'Set Jwt__SigningKey before another instance starts.',
    )
  return fine('keys', `${rows.length} open with the secret`)
}

const keptSecret = (dataDirectory: string) =>
  readFile(join(dataDirectory, 'identity-secret'), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  )
