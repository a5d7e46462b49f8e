import { createHmac } from 'node:crypto'

export interface Message {
  readonly id: string
  readonly timestampSeconds: number
  readonly body: string
}

/** As https://www.standardwebhooks.com has it: one signature for each secret that stands, separated by spaces. */
export const signedHeaders = ({ id, timestampSeconds, body }: Message, secrets: readonly string[]) => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestampSeconds),
  'webhook-signature': secrets
    .map((secret) => `v1,${signature(`${id}.${timestampSeconds}.${body}`, secret)}`)
    .join(' '),
})

export const secretPrefix = 'whsec_'

const signature = (text: string, secret: string): string =>
  createHmac('sha256', Buffer.from(secret.slice(secretPrefix.length), 'base64'))
    .update(text)
    .digest('base64')
