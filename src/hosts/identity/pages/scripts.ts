import type { FastifyInstance } from 'fastify'
import { addFormPostScript } from './form-post.ts'
import { addPasskeyScript } from './passkey-script.ts'

/** The few that pages of this host load. */
export function addPageScripts(app: FastifyInstance): void {
  addFormPostScript(app)
  addPasskeyScript(app)
}
