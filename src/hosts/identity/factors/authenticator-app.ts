import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import encodeQr from 'qr'
import { budgetLimits } from '../../../config/budgets.ts'
import { timestamp } from '../../../db/columns.ts'
import type { Queries } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { Identity } from '../core/endpoint.ts'
import type { Account } from '../core/sessions.ts'
import { base32 } from './account-factors.ts'

/** A new secret for an app. It is stored only after its first code has been confirmed. */
export interface AppOffer {
  /** The secret, sealed for this account. */
  readonly offer: string
  /** The secret as text, for apps that cannot scan the QR code. */
  readonly secret: string
  /** The secret as an `otpauth:` URL. */
  readonly address: string
  readonly picture: QrPicture
}

/** A square QR code as the path of an SVG. */
interface QrPicture {
  /** The number of modules per side. */
  readonly side: number
  readonly path: string
}

interface SealedOffer {
  readonly accountId: string
  readonly secret: string
}

const offerMilliseconds = 30 * 60_000

export function offerApp(
  { seals, settings, now }: Identity,
  { accountId, login }: Pick<Account, 'accountId' | 'login'>,
): AppOffer {
  const bytes = randomBytes(totpSecretBytes)
  const secret = base32(bytes)
  const issuer = new URL(settings.allowedOrigins[0] ?? settings.issuer).hostname
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(login)}`
  const address = `otpauth://totp/${label}?${new URLSearchParams({ secret, issuer })}`
  const offer: SealedOffer = { accountId, secret: bytes.toString('base64url') }
  return {
    offer: seals.seal('appOffer', offer, now() + offerMilliseconds),
    secret,
    address,
    picture: drawQr(address),
  }
}

/** Stores the app instead of an earlier app, if the code proves that it has the secret. */
export async function registerApp(
  { seals, factorBox, now }: Identity,
  transaction: Queries,
  accountId: string,
  confirmation: { readonly offer: string; readonly code: string },
): Promise<boolean> {
  const offer = await seals.open<SealedOffer>('appOffer', confirmation.offer)
  if (offer?.accountId !== accountId) return false
  const secret = Buffer.from(offer.secret, 'base64url')
  const step = stepOfCode(secret, confirmation.code, now())
  if (step === undefined) return false
  // The last step never decreases, so a used code cannot be used again.
  await transaction.query(sql`
    insert into authenticator_apps as existing (user_id, sealed_secret, last_step, created_at)
    values (${accountId}, ${factorBox.seal(secret, accountId)}, ${step}, ${timestamp(now())})
    on conflict (user_id) do update set sealed_secret = excluded.sealed_secret, created_at = excluded.created_at,
      last_step = greatest(existing.last_step, excluded.last_step), failures = 0`)
  return true
}

const failuresMax = budgetLimits.wrongCodesOfAccount.max

/**
 * Checks that the code is valid and marks it as used. Because of the row lock, only one of two concurrent
 * uses succeeds.
 */
export async function useAppCode(
  { factorBox, now }: Identity,
  transaction: Queries,
  accountId: string,
  code: string,
): Promise<boolean> {
  if (!codePattern.test(code)) return false
  const [app] = await transaction.query<{ sealed: Buffer; lastStep: number; failures: number }>(sql`
    select sealed_secret as sealed, last_step::float8 as "lastStep", failures from authenticator_apps
    where user_id = ${accountId} for no key update`)
  if (!app || app.failures >= failuresMax) return false
  const secret = factorBox.open(app.sealed, accountId)
  const step = secret && stepOfCode(secret, code, now())
  const isValid = step !== undefined && step > app.lastStep
  await transaction.query(
    isValid
      ? sql`update authenticator_apps set last_step = ${step}, failures = 0 where user_id = ${accountId}`
      : sql`update authenticator_apps set failures = failures + 1 where user_id = ${accountId}`,
  )
  return isValid
}

function drawQr(text: string): QrPicture {
  const rows = encodeQr(text, 'raw', { ecc: 'medium', border: 2 })
  const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return { side: rows.length, path: path.join('') }
}

/** Every authenticator app supports RFC 6238 with HMAC-SHA-1, six digits, and thirty seconds. */
const stepMilliseconds = 30_000
const digits = 6
/** The app's clock may be one step ahead or behind. */
const stepsTolerated = 1
/** RFC 4226, 4 recommends a secret as long as the hash. */
const totpSecretBytes = 20

const codePattern = /^\d{6}$/

/** Returns the time step for which the code is valid, or undefined for a wrong code. */
export function stepOfCode(secret: Buffer, code: string, now: number): number | undefined {
  const current = Math.floor(now / stepMilliseconds)
  const actual = Buffer.from(code)
  let matchingStep: number | undefined
  // All steps are compared, so that timing reveals nothing.
  for (let step = current - stepsTolerated; step <= current + stepsTolerated; step += 1) {
    const expected = Buffer.from(codeAt(secret, step))
    if (expected.length === actual.length && timingSafeEqual(expected, actual)) matchingStep = step
  }
  return matchingStep
}

/** Returns the code for a time step (RFC 4226, 5.3). */
export function codeAt(secret: Buffer, step: number, length = digits): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fff_ffff
  return String(number % 10 ** length).padStart(length, '0')
}
