import type { RestSettings } from '../../hosts/rest/configuration.ts'
import { startRest } from '../../hosts/rest/main.ts'
import { createLog } from '../../http/log.ts'
import type { SharedStore } from '../shared-store.ts'
import { addressOf, authenticationOf, listening, type RunningHost } from './running-host.ts'

export async function start(settings: RestSettings, store: SharedStore): Promise<RunningHost> {
  const tracker = await store.tracker()
  const ofStrangers = tracker.budgets.budget('unauthenticatedLines')
  const log = createLog({ level: settings.logLevel, host: 'rest', ofStrangers })
  await store.keepSmall()
  const authentication = authenticationOf(tracker, settings, 'svc.api', log)
  const { leave, stop } = await listening('REST_PORT', () =>
    startRest({ ...tracker, hoursStep: settings.hoursStep }, authentication, settings, log),
  )
  const address = addressOf(settings, settings.port)
  return { title: 'REST', address, pages: [`${address}/swagger`], leave, stop }
}
