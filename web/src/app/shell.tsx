import { effect } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { openLive } from '../api/live.ts'
import { faceAttributesOf } from '../api/people.ts'
import { NewAssignmentDialog } from '../assignment/lazy-new-assignment.ts'
import { useProjectStages } from '../data/project-stages.ts'
import { homePath, type ScreenProps } from '../router/router.ts'
import { useCardFocus } from '../screens/project/use-card-focus.ts'
import { useServices } from '../services/services.ts'
import { changeSettings, currentDensity, themeSwitch, useSettingsOfAccount } from '../services/settings.ts'
import { t, tn } from '../texts/text.ts'
import { Icon } from '../ui/icon.tsx'
import { lazyDialog } from '../ui/lazy.tsx'
import { Menu } from '../ui/menu.tsx'
import { Page, useRootClass } from '../ui/page.tsx'
import { ErrorBoundary } from '../ui/page-states.tsx'
import { initialsOf } from '../ui/people.tsx'
import { ToastCorner } from '../ui/toasts.tsx'
import { phone, useMedia } from '../ui/viewport.ts'
import { ConnectionBar, useSignOut } from './connection-bar.tsx'
import { findScreen, type Screen, screens, useRecent } from './screens.ts'
import { EndTimerDialog, TimerIndicator } from './timer-indicator.tsx'
import { type Overlay, useShortcuts } from './use-shortcuts.ts'

/** The frame of every screen: navigation, account, connection, messages. */
export function Shell() {
  const { router } = useServices()
  const shortcuts = useShortcuts()
  const path = router.address.value.pathname
  useSettingsOfAccount()
  useRecent()
  useMessagesOfScreen()
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
        <TimerIndicator />
        <Bell />
        <button
          type="button"
          class="button quiet icon-only palette-button"
          aria-label={t('Search or run a command')}
          title={`${t('Search or run a command')} (Ctrl+K)`}
          aria-keyshortcuts="Control+K"
          onClick={() => shortcuts.open({ kind: 'palette' })}
        >
          <Icon name="search" />
        </button>
        <AccountMenu open={shortcuts.open} />
      </header>
      <ConnectionBar />
      <main id="content" class="content" tabIndex={-1}>
        <CurrentScreen path={path} />
      </main>
      <ToastCorner />
      <EndTimerDialog />
      <Overlays {...shortcuts} />
    </>
  )
}

/**
 * Removes the messages of a screen, and the age of its data, as soon as the user leaves it. Messages of the
 * next screen stay.
 */
function useMessagesOfScreen(): void {
  const { lastSeen, router, toasts } = useServices()
  useEffect(() => {
    const readScreen = () => {
      const found = findScreen(router.address.value.pathname)
      return `${found?.screen.paths[0]} ${found?.parameters.projectId}`
    }
    let current = readScreen()
    return effect(() => {
      const next = readScreen()
      if (next !== current) {
        toasts.leaveScreen()
        lastSeen.shownFrom.value = undefined
      }
      current = next
    })
  }, [lastSeen, router, toasts])
}

/** Preloads the scripts of the other screens, so that they open at once. */
function loadScreensWhenIdle(): void {
  const load = () => {
    // The screen reports the failure when it is shown.
    for (const screen of screens) screen.load().catch(() => undefined)
  }
  // Waits, because the first screen needs the processor and the connections.
  setTimeout(
    () => ('requestIdleCallback' in window ? requestIdleCallback(load) : load()),
    preloadDelayMilliseconds,
  )
}

const preloadDelayMilliseconds = 2000

function Overlays({ overlay, open }: ReturnType<typeof useShortcuts>) {
  const links = useLinks()
  const signOut = useSignOut()
  const keepFocusOn = useCardFocus()
  const close = () => open(undefined)
  switch (overlay?.kind) {
    case 'palette':
      return <Palette frame={{ links, open, signOut }} keepFocusOn={keepFocusOn} onClose={close} />
    case 'choose-project':
      return (
        <ProjectPalette
          onChoose={(projectId) => open({ kind: 'new-assignment', projectId, name: overlay.name })}
          onClose={close}
        />
      )
    case 'assignment':
      return <AssignmentPalette {...overlay} keepFocusOn={keepFocusOn} onClose={close} />
    case 'new-assignment':
      return <NewAssignmentAnywhere {...overlay} onClose={close} />
    case 'shortcuts':
      return <ShortcutSheet onClose={close} />
  }
  return null
}

const loadOverlays = () => import('./overlays.tsx')
const Palette = lazyDialog(async () => (await loadOverlays()).Palette)
const ProjectPalette = lazyDialog(async () => (await loadOverlays()).ProjectPalette)
const AssignmentPalette = lazyDialog(async () => (await loadOverlays()).AssignmentPalette)
const ShortcutSheet = lazyDialog(async () => (await loadOverlays()).ShortcutSheet)

type NewAnywhereProps = Extract<Overlay, { readonly kind: 'new-assignment' }> & { onClose(): void }

/**
 * Creates an assignment on any screen. It first loads the stages of the project, because not every screen has
 * them.
 */
function NewAssignmentAnywhere({ projectId, name, onClose }: NewAnywhereProps) {
  const { stages, isLoading } = useProjectStages(projectId)
  if (isLoading) return null
  return <NewAssignmentDialog scope={{ projectId, stages }} name={name} onClose={onClose} />
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
  const activeHref = findScreen(path)?.screen.activeHref
  return (
    <nav class="navigation" aria-label={t('Main')}>
      {useLinks().map(({ href, label, icon, isMinor }) => (
        <a
          key={href}
          href={href}
          class={isMinor ? 'minor' : ''}
          aria-current={
            path === href ? 'page' : path.startsWith(`${href}/`) || href === activeHref || undefined
          }
        >
          <Icon name={icon} />
          <span>{t(label)}</span>
        </a>
      ))}
    </nav>
  )
}

/** The count waits, because the first screen needs the connections and the processor. */
const unreadDelayMilliseconds = 1500
/** The badge has no room for larger numbers, and shows "99+" instead. */
const unreadMax = 99
const unreadKey = 'unread'

/** Links to the inbox and shows the number of unread notifications. This requires the extensions. */
function Bell() {
  const { configuration, router } = useServices()
  const count = useUnreadCount()
  useRootClass('has-bell', configuration.extensions)
  if (!configuration.extensions) return null
  const countText = count > unreadMax ? `${unreadMax}+` : String(count)
  const label =
    count > 0 ? tn(count, 'Inbox: 1 unread', 'Inbox: {count} unread', { count: countText }) : t('Inbox')
  return (
    <a
      class="button quiet icon-only bell"
      href="/inbox"
      aria-label={label}
      title={label}
      aria-current={router.address.value.pathname === '/inbox' ? 'page' : undefined}
    >
      <Icon name="bell" />
      {count > 0 && (
        <span class="bell-count" aria-hidden="true">
          {countText}
        </span>
      )}
    </a>
  )
}

function useUnreadCount(): number {
  const { configuration, lastSeen, session, tracker } = useServices()
  const [count, setCount] = useState(0)
  const isSignedIn = session.state.value === 'signed-in'
  useEffect(() => {
    if (!configuration.extensions || !isSignedIn) return setCount(0)
    let close: (() => void) | undefined
    // The last known number is shown until the first answer, which may take until there is a network.
    void lastSeen.recall<number>(unreadKey).then((known = 0) => setCount(known))
    const timer = setTimeout(() => {
      const query = { unread: 'true', pageSize: 1 } as const
      close = openLive((options) => tracker.connect('GET /ext/notifications', { query }, options), {
        onValue({ result }) {
          setCount(result.unreadCount)
          lastSeen.keep(unreadKey, result.unreadCount)
        },
        // The inbox shows the state of the connection and its errors.
        onConnection: () => undefined,
        onProblem: () => undefined,
      })
    }, unreadDelayMilliseconds)
    return () => {
      clearTimeout(timer)
      close?.()
    }
  }, [configuration, tracker, isSignedIn])
  return count
}

function AccountMenu({ open }: Pick<ReturnType<typeof useShortcuts>, 'open'>) {
  const services = useServices()
  const { router, session } = services
  const isPhone = useMedia(phone)
  // Compact density is too small for fingers, and shortcuts need a keyboard.
  const isTouchScreen = useMedia('(pointer: coarse)')
  const isCompact = currentDensity.value === 'compact'
  const links = useLinks()
  const name = session.person.value?.name ?? t('Account')
  const signOut = useSignOut()
  return (
    <Menu
      label={t('Account of {name}', { name })}
      class="button quiet account"
      items={[
        // A phone has no room for these pages, and the header of a project replaces the search button.
        ...(isPhone
          ? [
              ...links.flatMap(({ href, label, icon, isMinor }) =>
                isMinor ? { icon, label: t(label), run: () => router.go(href) } : [],
              ),
              {
                icon: 'search' as const,
                label: t('Search or run a command'),
                kind: 'section-start' as const,
                run: () => open({ kind: 'palette' }),
              },
            ]
          : []),
        { icon: 'person', label: t('My account'), run: () => router.go('/account') },
        { icon: 'trash', label: t('Removed items'), run: () => router.go('/removed') },
        themeSwitch(services),
        ...(isTouchScreen
          ? []
          : [
              {
                icon: 'rows' as const,
                label: t('Compact density'),
                isChecked: isCompact,
                run: () => void changeSettings(services, { density: isCompact ? 'comfortable' : 'compact' }),
              },
              {
                icon: 'keyboard' as const,
                label: t('Keyboard shortcuts'),
                shortcut: '?',
                run: () => open({ kind: 'shortcuts' }),
              },
            ]),
        { icon: 'leave', label: t('Sign out'), kind: 'section-start', run: signOut },
      ]}
    >
      <span
        class="avatar account-face"
        {...faceAttributesOf(session.person.value?.id ?? '')}
        data-initials={initialsOf(name)}
        aria-hidden="true"
      />
      <span class="account-name" dir="auto">
        {name}
      </span>
      <Icon name="down" />
    </Menu>
  )
}

/** Shows the screen of the path as soon as its script has loaded. */
function CurrentScreen({ path }: { readonly path: string }) {
  const match = findScreen(path)
  const [loaded, setLoaded] = useState<{ screen: Screen; Component: ComponentType<ScreenProps> }>()
  const [problem, setProblem] = useState<Screen>()
  const screen = match?.screen
  useEffect(() => {
    if (screen === undefined) return
    let isCurrent = true
    screen.load().then(
      (Component) => {
        if (!isCurrent) return
        setLoaded({ screen, Component })
        setProblem(undefined)
      },
      () => isCurrent && setProblem(screen),
    )
    return () => {
      isCurrent = false
    }
  }, [screen])
  if (path === '/') return null
  if (match === undefined) return <NotFoundPage />
  // The scripts of an earlier build no longer exist after an update of the client.
  if (problem === match.screen) return <FailedPage title={t('This screen could not be loaded')} />
  if (loaded?.screen !== match.screen) return null
  return (
    <ErrorBoundary
      key={path.split('/')[1]}
      fallback={() => <FailedPage title={t('This screen could not be shown')} />}
    >
      <loaded.Component parameters={match.parameters} />
    </ErrorBoundary>
  )
}

const NotFoundPage = () => (
  <Page title={t('Page not found')}>
    <p>
      {t('The address may be misspelt, or the page no longer exists.')}{' '}
      <a href={homePath}>{t('Go to the start page')}</a>
    </p>
  </Page>
)

const FailedPage = ({ title }: { readonly title: string }) => (
  <Page title={title}>
    <button type="button" class="button primary" onClick={() => location.reload()}>
      {t('Reload the page')}
    </button>
  </Page>
)
