import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Running, runningTimer, secondsOf } from '../assignment/timer.ts'
import { isEndingTimer, TimerDialog } from '../assignment/timer-button.tsx'
import { assignmentPath, homePath, type ScreenProps } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { formatClock } from '../time/hours.ts'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu } from '../ui/menu.tsx'
import { Page } from '../ui/page.tsx'
import { useMedia, useSecondsUntil } from '../ui/place.ts'
import { ToastCorner } from '../ui/toasts.tsx'
import { CommandPalette } from './command-palette.tsx'
import { findScreen, type Screen, screens } from './screens.ts'
import { ThemeSwitch } from './theme.tsx'
import { shortcuts, useShortcuts } from './use-shortcuts.ts'

/** The frame of every screen: navigation, account, connection, messages. */
export function Shell() {
  const { router } = useServices()
  const shortcuts = useShortcuts()
  const path = router.address.value.pathname
  useEffect(loadScreensWhenIdle, [])
  useEffect(() => {
    if (path === '/') router.go(homePath, { replace: true })
  }, [path, router])
  return (
    <>
      <a class="skip-link" href="#content">
        {t('Skip to the content')}
      </a>
      <header class="top-bar">
        <a class="brand" href={homePath} aria-label="Tracker">
          <img src="/icon.svg" alt="" width="24" height="24" />
          <span>Tracker</span>
        </a>
        <Navigation />
        <TimerMark />
        <button
          type="button"
          class="button quiet icon-only"
          aria-label={t('Find anything, do anything')}
          title={`${t('Find anything, do anything')} (Ctrl+K)`}
          aria-keyshortcuts="Control+K"
          onClick={() => shortcuts.open('palette')}
        >
          <Icon name="search" />
        </button>
        <ThemeSwitch />
        <AccountMenu onShortcuts={() => shortcuts.open('shortcuts')} />
      </header>
      <ConnectionBar />
      <main id="content" class="content" tabIndex={-1}>
        <CurrentScreen path={path} />
      </main>
      <ToastCorner />
      <TimerEnd />
      <Layers {...shortcuts} />
    </>
  )
}

/** Preloads the script of the other screens, so that they open at once. */
function loadScreensWhenIdle(): void {
  const load = () => {
    // A failure shows when the screen is drawn.
    for (const screen of screens) screen.load().catch(() => undefined)
  }
  // The first screen needs the processor and the connections first.
  setTimeout(() => ('requestIdleCallback' in window ? requestIdleCallback(load) : load()), aheadMilliseconds)
}

const aheadMilliseconds = 2000

function Layers({ layer, open }: ReturnType<typeof useShortcuts>) {
  const { router } = useServices()
  const links = useLinks()
  const signOut = useSignOut()
  const close = () => open(undefined)
  if (layer === 'shortcuts') return <ShortcutSheet onClose={close} />
  if (layer !== 'palette') return null
  const actions = [
    ...links.map(({ href, label, icon }) => ({ icon, label: t(label), run: () => router.go(href) })),
    { icon: 'person' as const, label: t('My account'), run: () => router.go('/account') },
    { icon: 'trash' as const, label: t('Removed records'), run: () => router.go('/removed') },
    { icon: 'list' as const, label: t('Keyboard shortcuts'), run: () => open('shortcuts') },
    { icon: 'move' as const, label: t('Sign out'), run: signOut },
  ]
  return <CommandPalette actions={actions} onClose={close} />
}

function useSignOut(): () => void {
  const { session, toasts } = useServices()
  return () =>
    void session.signOut().catch((error: Error) => toasts.show({ kind: 'problem', text: error.message }))
}

function useLinks() {
  const { session } = useServices()
  const isAdministrator = session.person.value?.isAdministrator
  return screens.flatMap(({ link, administratorsOnly }) =>
    link === undefined || (administratorsOnly && !isAdministrator) ? [] : [link],
  )
}

function Navigation() {
  const { router } = useServices()
  const path = router.address.value.pathname
  const within = findScreen(path)?.screen.within
  return (
    <nav class="navigation" aria-label={t('Main')}>
      {useLinks().map(({ href, label, icon, isMinor }) => (
        <a
          key={href}
          href={href}
          class={isMinor ? 'minor' : ''}
          aria-current={path === href ? 'page' : path.startsWith(`${href}/`) || href === within || undefined}
        >
          <Icon name={icon} />
          <span>{t(label)}</span>
        </a>
      ))}
    </nav>
  )
}

function AccountMenu({ onShortcuts }: { onShortcuts(): void }) {
  const { router, session } = useServices()
  const isPhone = useMedia('(max-width: 640px)')
  const [isSmall, setSmall] = useState(isCompact)
  const links = useLinks()
  const name = session.person.value?.name ?? t('Account')
  const signOut = useSignOut()
  const minor = isPhone ? links.filter(({ isMinor }) => isMinor) : []
  return (
    <Menu
      label={t('Account of {name}', { name })}
      class="button quiet account"
      items={[
        ...minor.map(({ href, label }) => ({ label: t(label), run: () => router.go(href) })),
        { label: t('My account'), run: () => router.go('/account') },
        { label: t('Removed records'), run: () => router.go('/removed') },
        {
          label: t('Compact density'),
          isChecked: isSmall,
          run: () => {
            chooseDensity(!isSmall)
            setSmall(!isSmall)
          },
        },
        { label: t('Keyboard shortcuts'), run: onShortcuts },
        { label: t('Sign out'), run: signOut },
      ]}
    >
      <Icon name="person" />
      <span class="account-name" dir="auto">
        {name}
      </span>
      <Icon name="down" />
    </Menu>
  )
}

/** The previous screen stays until the script of the next one has loaded, so that nothing flickers. */
function CurrentScreen({ path }: { readonly path: string }) {
  const found = findScreen(path)
  const [shown, setShown] = useState<{ screen: Screen; Component: ComponentType<ScreenProps> }>()
  const [problem, setProblem] = useState<Screen>()
  const wanted = found?.screen
  useEffect(() => {
    if (wanted === undefined) return
    let isWanted = true
    wanted.load().then(
      (Component) => isWanted && setShown({ screen: wanted, Component }),
      () => isWanted && setProblem(wanted),
    )
    return () => {
      isWanted = false
    }
  }, [wanted])
  if (path === '/') return null
  if (found === undefined) return <Nowhere />
  // After an update of the client its older scripts no longer exist.
  if (problem === found.screen) return <Failed title={t('This screen could not be loaded')} />
  if (shown?.screen !== found.screen) return null
  return (
    <ErrorBoundary
      key={path.split('/')[1]}
      fallback={() => <Failed title={t('This screen could not be shown')} />}
    >
      <shown.Component parameters={found.parameters} />
    </ErrorBoundary>
  )
}

const Nowhere = () => (
  <Page title={t('Page not found')}>
    <p>
      {t('The address may be misspelt, or the page no longer exists.')}{' '}
      <a href={homePath}>{t('Go to the start page')}</a>
    </p>
  </Page>
)

const Failed = ({ title }: { readonly title: string }) => (
  <Page title={title}>
    <button type="button" class="button primary" onClick={() => location.reload()}>
      {t('Reload the page')}
    </button>
  </Page>
)

/** The running timer, on every screen and in every tab. */
function TimerMark() {
  const running = useOwnTimer()
  if (running === undefined) return null
  return (
    <div class="timer-mark">
      <a href={assignmentPath(running.projectId, running.assignmentId)} title={running.name}>
        <Clock running={running} />
        <span class="timer-name" dir="auto">
          {running.name}
        </span>
      </a>
      <button
        type="button"
        class="button quiet icon-only"
        aria-label={t('Stop the timer')}
        title={t('Stop the timer')}
        onClick={() => {
          isEndingTimer.value = true
        }}
      >
        <Icon name="stop" />
      </button>
    </div>
  )
}

/** Asks what to do with the time when the timer was stopped. */
function TimerEnd() {
  const running = useOwnTimer()
  const onClose = () => {
    isEndingTimer.value = false
  }
  useEffect(() => {
    if (running === undefined) onClose()
  }, [running])
  return running && isEndingTimer.value ? <TimerDialog running={running} onClose={onClose} /> : null
}

/** Another user may have started one in this browser. */
function useOwnTimer(): Running | undefined {
  const { session } = useServices()
  const running = runningTimer.value
  return running?.userId === session.person.value?.id ? running : undefined
}

function Clock({ running }: { readonly running: Running }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return (
    <time class="timer-clock" role="timer" aria-label={t('Running for {name}', { name: running.name })}>
      {formatClock(secondsOf(running, now))}
    </time>
  )
}

/** One line under the top bar while the device is offline or the server asks the client to wait. */
function ConnectionBar() {
  const { busyUntil } = useServices()
  const isOnline = useOnline()
  const seconds = useSecondsUntil(busyUntil.value)
  const text = isOnline
    ? seconds > 0 && t('The server is busy. Trying again in {seconds} s…', { seconds })
    : t('You are offline. The data may be out of date; your input is kept.')
  return (
    <div class="connection-bar" role="status">
      {text || null}
    </div>
  )
}

/**
 * The browser's network status is believed until a response disproves it: a machine without a network can still reach a server of
 * its own.
 */
function useOnline(): boolean {
  const { isReached } = useServices()
  const [isOnline, setOnline] = useState(navigator.onLine)
  useEffect(() => {
    const follow = () => setOnline(navigator.onLine)
    addEventListener('online', follow)
    addEventListener('offline', follow)
    return () => {
      removeEventListener('online', follow)
      removeEventListener('offline', follow)
    }
  }, [])
  return isOnline || isReached.value
}

const key = 'tracker.density'

/** Compact density, for users who want to see more at once; stored in this browser. */
const isCompact = (): boolean => localStorage.getItem(key) === 'compact'

export function applyChosenDensity(): void {
  if (isCompact()) document.documentElement.dataset.density = 'compact'
  else delete document.documentElement.dataset.density
}

function chooseDensity(compact: boolean): void {
  if (compact) localStorage.setItem(key, 'compact')
  else localStorage.removeItem(key)
  applyChosenDensity()
}

const ShortcutSheet = ({ onClose }: { onClose(): void }) => (
  <Dialog title={t('Keyboard shortcuts')} onClose={onClose}>
    <dl class="shortcut-sheet">
      {shortcuts.map(({ keys, does }) => (
        <div key={does}>
          <dt>{t(does)}</dt>
          <dd>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  </Dialog>
)
