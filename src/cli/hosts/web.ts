import type { WebSettings } from '../../hosts/web/configuration.ts'
import { startWeb } from '../../hosts/web/main.ts'
import { createLog } from '../../http/log.ts'
import { addressOf, listening, type RunningHost } from './running-host.ts'

export async function start(settings: WebSettings): Promise<RunningHost> {
  const log = createLog({ level: settings.logLevel, host: 'web' })
  const { leave, stop } = await listening('WEB_PORT', () => startWeb(settings, log))
  return { title: 'Web', address: addressOf(settings, settings.port), leave, stop }
}
