import { effect } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { loadByIds } from '../api/load-all.ts'
import { NewAssignmentDialog } from '../assignment/lazy-new-assignment.ts'
import { useProjectStages } from '../data/project-stages.ts'
import { homePath, type ScreenProps } from '../router/router.ts'
import { useCardFocus } from '../screens/project/use-card-focus.ts'
import { currentDensity } from '../services/appearance.ts'
import { useServices } from '../services/services.ts'
import { changeSettings, themeSwitch, useSettingsOfAccount } from '../services/settings.ts'
import { t } from '../texts/text.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { Icon } from '../ui/icon.tsx'
import { lazyDialog } from '../ui/lazy-dialog.tsx'
import { Menu } from '../ui/menu.tsx'
import { Page } from '../ui/page.tsx'
import { ToastCorner } from '../ui/toasts.tsx'
import { useMedia } from '../ui/use-media.ts'
import { Bell } from './bell.tsx'
import { CommandPalette, type PaletteStep } from './command-palette.tsx'
import { ConnectionBar, useSignOut } from './connection-bar.tsx'
import { useRecent } from './recent.ts'
import { findScreen, type Screen, screens } from './screens.ts'
import { findTarget } from './targets.ts'
import { EndTimerDialog, TimerIndicator } from './timer-indicator.tsx'
import { assignmentKeys, type Overlay, useShortcuts } from './use-shortcuts.ts'

/** The frame of every screen: navigation, account, connection, messages. */
export function Shell() {
  const { router } = useServices()
  const shortcuts = useShortcuts()
  const path = router.address.value.pathname
  useSettingsOfAccount()
  useRecent()
  useOwnMessages()
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
          class="button quiet icon-only"
          aria-label={t('Search or run a command')}
          title={`${t('Search or run a command')} (Ctrl+K)`}
          aria-keyshortcuts="Control+K"
          onClick={() => shortcuts.open({ kind: 'palette' })}
        >
          <Icon name="search" />
        </button>
        <ThemeSwitch />
        <AccountMenu onShortcuts={() => shortcuts.open({ kind: 'shortcuts' })} />
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

/** Messages of a screen end with it, at once, so that those of the next one stay, and so does the age of its data. */
function useOwnMessages(): void {
  const { lastSeen, router, toasts } = useServices()
  useEffect(() => {
    const read = () => {
      const found = findScreen(router.address.value.pathname)
      return `${found?.screen.paths[0]} ${found?.parameters.projectId}`
    }
    let current = read()
    return effect(() => {
      const next = read()
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
  const keepFocusOn = useCardFocus()
  const close = () => open(undefined)
  switch (overlay?.kind) {
    case 'palette':
      return <Palette open={open} keepFocusOn={keepFocusOn} />
    case 'choose-project':
      return (
        <ProjectPalette
          onChoose={(projectId) => open({ kind: 'new-assignment', projectId, name: overlay.name })}
          onClose={close}
        />
      )
    case 'choose-value':
      return <ValuePalette {...overlay} keepFocusOn={keepFocusOn} onClose={close} />
    case 'new-assignment':
      return <NewAssignmentAnywhere {...overlay} onClose={close} />
    case 'shortcuts':
      return <ShortcutSheet onClose={close} />
  }
  return null
}

interface PaletteProps extends Pick<ReturnType<typeof useShortcuts>, 'open'> {
  /** What is chosen may move the focused card to another column. */
  keepFocusOn(assignmentId: string): void
}

function Palette({ open, keepFocusOn }: PaletteProps) {
  const services = useServices()
  const { pathname } = services.router.address.peek()
  const links = useLinks()
  const signOut = useSignOut()
  // The focused card, before the palette takes the focus.
  const [targetId] = useState(() => findTarget(pathname))
  const frame = { projectId: findScreen(pathname)?.parameters.projectId, links, open, signOut }
  const first: PaletteStep = {
    title: t('Search or run a command'),
    placeholder: t('Project, assignment, person or action'),
    find: async (text, signal) =>
      (await import('./palette-steps.tsx')).findFirst(services, { frame, targetId }, text, signal),
  }
  const close = () => {
    open(undefined)
    if (targetId !== undefined) keepFocusOn(targetId)
  }
  return <CommandPalette first={first} onClose={close} />
}

/** Chooses the project of a new assignment, where the screen shows none. */
function ProjectPalette({ onChoose, onClose }: { onChoose(projectId: string): void; onClose(): void }) {
  const services = useServices()
  const title = t('New assignment in…')
  const find: PaletteStep['find'] = async (text, signal) =>
    (await import('./palette-steps.tsx')).findProjects(services, { title, onChoose }, text, signal)
  return <CommandPalette first={{ title, placeholder: title, find }} onClose={onClose} />
}

type ChoiceProps = Extract<Overlay, { readonly kind: 'choose-value' }> &
  Pick<PaletteProps, 'keepFocusOn'> & { onClose(): void }

/** Chooses a value for assignments by one key. */
function ValuePalette({ field, ids, keepFocusOn, onClose }: ChoiceProps) {
  const services = useServices()
  const title = t(assignmentKeys.find((one) => one.field === field)?.description ?? 'Move to a stage…')
  const [focused] = useState(() => findTarget(services.router.address.peek().pathname))
  const find: PaletteStep['find'] = async (text, signal) => {
    const [{ stepFor }, rows] = await Promise.all([
      import('./assignment-steps.tsx'),
      loadByIds(services.api, 'assignment', ids, signal),
    ])
    return stepFor(services, field, [...rows.values()]).find(text, signal)
  }
  const close = () => {
    onClose()
    if (focused !== undefined) keepFocusOn(focused)
  }
  return <CommandPalette first={{ title, placeholder: title, find }} onClose={close} />
}

const ShortcutSheet = lazyDialog(async () => (await import('./shortcut-sheet.tsx')).ShortcutSheet)

type NewAnywhereProps = Extract<Overlay, { readonly kind: 'new-assignment' }> & { onClose(): void }

/** A new assignment of another project than the one on the screen. */
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
  const within = findScreen(path)?.screen.activeHref
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

function ThemeSwitch() {
  const { icon, label, run } = themeSwitch(useServices())
  return (
    <button type="button" class="button quiet icon-only theme" aria-label={label} title={label} onClick={run}>
      <Icon name={icon} />
    </button>
  )
}

function AccountMenu({ onShortcuts }: { onShortcuts(): void }) {
  const services = useServices()
  const { router, session } = services
  const isPhone = useMedia('(max-width: 640px)')
  // Fingers need room, and press no keys.
  const isTouched = useMedia('(pointer: coarse)')
  const isDense = currentDensity.value === 'compact'
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
        ...(isTouched
          ? []
          : [
              {
                label: t('Compact density'),
                isChecked: isDense,
                run: () => void changeSettings(services, { density: isDense ? 'comfortable' : 'compact' }),
              },
              { label: t('Keyboard shortcuts'), run: onShortcuts },
            ]),
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
  // This happens after an update of the client, when its older scripts no longer exist.
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
