import type { IdentitySettings } from '../../hosts/identity/configuration.ts'
import { startIdentity } from '../../hosts/identity/main.ts'
import { createLog } from '../../http/log.ts'
import type { SharedStore } from '../shared-store.ts'
import { addressOf, listening, type RunningHost } from './running-host.ts'

export async function start(settings: IdentitySettings, store: SharedStore): Promise<RunningHost> {
  const tracker = await store.tracker()
  const ofStrangers = tracker.budgets.budget('unauthenticatedLines')
  const log = createLog({ level: settings.logLevel, host: 'identity', ofStrangers })
  const { leave, stop } = await listening('IDENTITY_PORT', () => startIdentity(tracker, settings, log))
  const address = addressOf(settings, settings.port)
  return { title: 'Identity', address, pages: [`${address}/swagger`], leave, stop }
}
