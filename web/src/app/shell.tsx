import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { homePath } from '../router/addresses.ts'
import type { ScreenProps } from '../router/screen-props.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Guarded } from '../ui/guarded.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu } from '../ui/menu.tsx'
import { Page } from '../ui/page.tsx'
import { ToastCorner } from '../ui/toasts.tsx'
import { useMedia } from '../ui/use-media.ts'
import { CommandPalette } from './command-palette.tsx'
import { ConnectionBar } from './connection-bar.tsx'
import { chooseDensity, isCompact } from './density.ts'
import { findScreen, type Screen, screens } from './screens.ts'
import { ShortcutSheet } from './shortcut-sheet.tsx'
import { ThemeSwitch } from './theme-switch.tsx'
import { TimerEnd, TimerMark } from './timer-mark.tsx'
import { useShortcuts } from './use-shortcuts.ts'

/** What stands around every screen: navigation, account, connection, news. */
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

/** Loads the other screens' script early, so that they open at once. */
function loadScreensWhenIdle(): void {
  const load = () => {
    // A failure shows when the screen is drawn.
    for (const screen of screens) screen.load().catch(() => undefined)
  }
  // What is shown first needs the processor and the connections first.
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
          label: t('Smaller letters and lines'),
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

/** The former screen stays until the next one's script is there, so that nothing flickers. */
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
  // After an update of the client its older scripts are gone.
  if (problem === found.screen) return <Failed title={t('This screen could not be loaded')} />
  if (shown?.screen !== found.screen) return null
  return (
    <Guarded key={path.split('/')[1]} instead={() => <Failed title={t('This screen could not be shown')} />}>
      <shown.Component parameters={found.parameters} />
    </Guarded>
  )
}

const Nowhere = () => (
  <Page title={t('There is nothing here')}>
    <p>
      {t('The address may be misspelt, or what it led to is gone.')}{' '}
      <a href={homePath}>{t('Go to the start')}</a>
    </p>
  </Page>
)

const Failed = ({ title }: { readonly title: string }) => (
  <Page title={title}>
    <button type="button" class="button primary" onClick={() => location.reload()}>
      {t('Load the page again')}
    </button>
  </Page>
)
