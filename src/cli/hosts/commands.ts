import type { CommandSettings } from '../../hosts/commands/configuration.ts'
import { startCommands } from '../../hosts/commands/main.ts'
import { createLog } from '../../http/log.ts'
import type { SharedStore } from '../shared-store.ts'
import { addressOf, authenticationOf, listening, type RunningHost } from './running-host.ts'

export async function start(settings: CommandSettings, store: SharedStore): Promise<RunningHost> {
  const tracker = await store.tracker()
  const ofStrangers = tracker.budgets.budget('unauthenticatedLines')
  const log = createLog({ level: settings.logLevel, host: 'commands', ofStrangers })
  await store.keepSmall()
  const authentication = authenticationOf(tracker, settings, 'svc.grpc', log)
  const { leave, stop } = await listening('COMMAND_PORT or COMMAND_DIAGNOSTICS_PORT', () =>
    startCommands({ ...tracker, hoursStep: settings.hoursStep }, authentication, settings, log),
  )
  return { title: 'Commands', address: addressOf(settings, settings.port), leave, stop }
}
