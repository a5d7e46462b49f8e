import { render } from 'preact'
import { createApi } from './api/api.ts'
import { createLastSeen } from './api/last-seen.ts'
import { onReturn, openPageTracker } from './api/page-tracker.ts'
import { createPeople } from './api/people.ts'
import { App, addTooltips } from './app/app.tsx'
import { preloadScreen } from './app/screens.ts'
import { applyPanelWidth } from './assignment/panel-frame.tsx'
import { startQueue } from './assignment/queue.ts'
import { createRouter } from './router/router.ts'
import { createFiles } from './services/files.ts'
import { createLastPages, type Services, ServicesContext } from './services/services.ts'
import { applyStoredAppearance } from './services/settings.ts'
import { createToasts } from './services/toasts.ts'
import { type Configuration, loadConfiguration } from './session/configuration.ts'
import { createSession, endInterruptedRefresh } from './session/session.ts'
import { applyCurrentLanguage } from './texts/language.ts'
import { t } from './texts/text.ts'
import { StandalonePage } from './ui/page.tsx'
import './styles/index.css'

/** Creates the objects that live as long as the page, and renders it. */
async function start(root: HTMLElement): Promise<void> {
  applyStoredAppearance()
  applyPanelWidth()
  addTooltips()
  addEventListener('keydown', loadFocusRules, { once: true })
  const router = createRouter()
  preloadScreen(router.address.peek().pathname)
  const languageLoaded = applyCurrentLanguage()
  const [configuration] = await Promise.all([
    reachConfiguration(async () => {
      await languageLoaded
      render(
        <StandalonePage title={t('Tracker cannot be reached')}>
          <p>{t('This page tries again every few seconds.')}</p>
        </StandalonePage>,
        root,
      )
    }),
    endInterruptedRefresh(),
    languageLoaded,
  ])
  render(null, root)
  const session = createSession(configuration)
  const page = openPageTracker(configuration.apiUrl, session)
  const api = createApi(page.tracker, configuration)
  const lastSeen = createLastSeen(session)
  const people = createPeople(api, session, configuration, lastSeen)
  onReturn(page.isReachable, () => {
    lastSeen.shownFrom.value = undefined
    api.announce('all')
  })
  const toasts = createToasts()
  const services: Services = {
    configuration,
    router,
    session,
    api,
    people,
    lastPages: createLastPages(),
    lastSeen,
    toasts,
    files: createFiles({ ...page, api, toasts, configuration }),
    ...page,
  }
  startQueue(services)
  render(
    <ServicesContext.Provider value={services}>
      <App />
    </ServicesContext.Provider>,
    root,
  )
}

/** Only users of keys need these rules, so they are in the second script. */
const loadFocusRules = () =>
  import('./app/focus-rules.ts').then(
    ({ keepFocus }) => keepFocus(),
    () => undefined,
  )

const retryMilliseconds = 3000

/** Retries until it succeeds, because the page may be opened while the server or the network is down. */
async function reachConfiguration(onUnreachable: () => Promise<void>): Promise<Configuration> {
  for (;;) {
    try {
      return await loadConfiguration()
    } catch {
      await onUnreachable()
      await new Promise((resolve) => setTimeout(resolve, retryMilliseconds))
    }
  }
}

/**
 * Installs the worker that opens the client without a network. It waits, because the first screen needs the
 * processor and the connections.
 */
function installWorker(): void {
  // Without the worker, only offline use is missing.
  const install = () => navigator.serviceWorker.register('/worker.js').catch(() => undefined)
  // Browsers offer no workers on insecure addresses.
  if (import.meta.env.PROD && 'serviceWorker' in navigator) setTimeout(install, installDelayMilliseconds)
}

const installDelayMilliseconds = 3000

installWorker()
const root = document.getElementById('app')
if (root !== null) void start(root)
