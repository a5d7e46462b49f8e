import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { homePath } from '../router/addresses.ts'
import type { ScreenProps } from '../router/screen-props.ts'
import { useServices } from '../services/services.ts'
import { Icon } from '../ui/icon.tsx'
import { Menu } from '../ui/menu.tsx'
import { Page } from '../ui/page.tsx'
import { ToastCorner } from '../ui/toasts.tsx'
import { ConnectionBar } from './connection-bar.tsx'
import { findScreen, type Screen, screens } from './screens.ts'
import { chooseTheme, currentTheme } from './theme.ts'

/** What stands around every screen: navigation, account, connection, news. */
export function Shell() {
  const { router } = useServices()
  const path = router.address.value.pathname
  useEffect(() => {
    if (path === '/') router.go(homePath, { replace: true })
  }, [path, router])
  return (
    <>
      <a class="skip-link" href="#content">
        Skip to the content
      </a>
      <header class="top-bar">
        <a class="brand" href={homePath} aria-label="Tracker">
          <img src="/icon.svg" alt="" width="24" height="24" />
          <span>Tracker</span>
        </a>
        <Navigation />
        <ThemeSwitch />
        <AccountMenu />
      </header>
      <ConnectionBar />
      <main id="content" class="content" tabIndex={-1}>
        <CurrentScreen path={path} />
      </main>
      <ToastCorner />
    </>
  )
}

function Navigation() {
  const { router, session } = useServices()
  const path = router.address.value.pathname
  const current = findScreen(path)?.screen
  const mine = screens.filter((screen) => !screen.administratorsOnly || session.person.value?.isAdministrator)
  return (
    <nav class="navigation" aria-label="Main">
      {mine.map((screen) =>
        screen.link === undefined ? null : (
          <a
            key={screen.link.label}
            href={screen.paths[0]}
            aria-current={screen === current ? 'page' : path.startsWith(`${screen.paths[0]}/`) || undefined}
          >
            <Icon name={screen.link.icon} />
            <span>{screen.link.label}</span>
          </a>
        ),
      )}
    </nav>
  )
}

function ThemeSwitch() {
  const [theme, setTheme] = useState(currentTheme)
  const next = theme === 'dark' ? 'light' : 'dark'
  const change = () => {
    chooseTheme(next)
    setTheme(next)
  }
  return (
    <button type="button" class="button quiet icon-only" aria-label={`Use ${next} colours`} onClick={change}>
      <Icon name={next === 'dark' ? 'moon' : 'sun'} />
    </button>
  )
}

function AccountMenu() {
  const { router, session, toasts } = useServices()
  const name = session.person.value?.name ?? 'Account'
  const signOut = () =>
    session.signOut().catch((error: Error) => toasts.show({ kind: 'problem', text: error.message }))
  return (
    <Menu
      label={`Account of ${name}`}
      class="button quiet account"
      items={[
        { label: 'My account', run: () => router.go('/account') },
        { label: 'Removed records', run: () => router.go('/removed') },
        { label: 'Sign out', run: () => void signOut() },
      ]}
    >
      <Icon name="person" />
      <span class="account-name">{name}</span>
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
  if (problem === found.screen) return <Unloadable />
  if (shown?.screen !== found.screen) return null
  return <shown.Component parameters={found.parameters} />
}

const Nowhere = () => (
  <Page title="There is nothing here">
    <p>
      The address may be misspelt, or what it led to is gone. <a href={homePath}>Go to the projects</a>
    </p>
  </Page>
)

/** After an update of the client its older scripts are gone. */
const Unloadable = () => (
  <Page title="This screen could not be loaded">
    <button type="button" class="button primary" onClick={() => location.reload()}>
      Load the page again
    </button>
  </Page>
)
