import { projectPath } from '../router/router.ts'
import { currentDensity } from '../services/appearance.ts'
import type { Services } from '../services/services.ts'
import { changeSettings, chooseLanguage, themeSwitch } from '../services/settings.ts'
import { currentLanguage, languages } from '../texts/language.ts'
import { t } from '../texts/text.ts'
import type { IconName } from '../ui/icon.tsx'
import type { Screen } from './screens.ts'
import { keysOf, type Overlay } from './use-shortcuts.ts'

/** A command of the frame, such as a place to go to. */
export interface Command {
  readonly group: string
  readonly icon: IconName
  readonly label: string
  readonly keys?: readonly string[]
  run(): void
}

export interface Frame {
  /** The project of the screen, if it shows one. */
  readonly projectId: string | undefined
  readonly links: readonly NonNullable<Screen['link']>[]
  open(overlay: Overlay): void
  signOut(): void
}

/** What the palette offers wherever it is opened, then the settings of the account. */
export function commandsOf(
  services: Services,
  { projectId, links, open, signOut }: Frame,
): readonly Command[] {
  const { configuration, router, session } = services
  const isAdministrator = session.person.peek()?.isAdministrator === true
  const [create, go] = [t('Create'), t('Go to')]
  return [
    ...(projectId === undefined ? [] : projectCommands(services, projectId)),
    {
      group: create,
      icon: 'plus',
      label: t('New assignment'),
      keys: keysOf('New assignment'),
      run: () => open({ kind: 'choose-project' }),
    },
    { group: create, icon: 'folder', label: t('New project'), run: () => router.go('/projects?new=1') },
    ...(isAdministrator
      ? ([
          {
            group: create,
            icon: 'person',
            label: t('New user'),
            run: () => router.go('/administration/users?new=1'),
          },
        ] as const)
      : []),
    ...links.map(({ href, label, icon }) => ({
      group: go,
      icon,
      label: t(label),
      keys: keysOf(href),
      run: () => router.go(href),
    })),
    ...(configuration.extensions
      ? [
          {
            group: go,
            icon: 'bell' as const,
            label: t('Inbox'),
            keys: keysOf('/inbox'),
            run: () => router.go('/inbox'),
          },
        ]
      : []),
    { group: go, icon: 'person', label: t('My account'), run: () => router.go('/account') },
    { group: go, icon: 'trash', label: t('Removed records'), run: () => router.go('/removed') },
    {
      group: go,
      icon: 'list',
      label: t('Keyboard shortcuts'),
      keys: ['?'],
      run: () => open({ kind: 'shortcuts' }),
    },
    { group: go, icon: 'move', label: t('Sign out'), run: signOut },
    ...settingsOf(services),
  ]
}

/** The pages of the open project, and the tools that its page shows. */
function projectCommands({ configuration, router }: Services, projectId: string): readonly Command[] {
  const group = t('This project')
  const page = (icon: IconName, label: string, path: string): Command => ({
    group,
    icon,
    label,
    run: () => router.go(projectPath(projectId, path)),
  })
  const tool = (
    icon: IconName,
    label: string,
    selector: string,
    keys: readonly string[] = [],
  ): readonly Command[] => {
    const button = document.querySelector<HTMLElement>(`main ${selector}`)
    // The palette closes first, and returns the focus.
    return button === null ? [] : [{ group, icon, label, keys, run: () => setTimeout(() => button.click()) }]
  }
  const saveAsTable = tool('download', t('Export…'), '[data-tool=export]')
  return [
    ...tool('filter', t('Filter'), '.filter-button', keysOf('Filter a project')),
    ...tool('bookmark', t('Save view'), '[data-tool=save-view]'),
    // The list is what is saved as a table.
    ...(saveAsTable.length > 0 ? saveAsTable : [page('download', t('Export…'), '?view=list')]),
    ...(configuration.extensions
      ? [page('folder', t('Import'), '/import'), page('clock', t('Activity'), '/activity')]
      : []),
    page('chart', t('Hours'), '/report'),
    page('gear', t('Settings'), '/settings'),
  ]
}

function settingsOf(services: Services): readonly Command[] {
  const group = t('Appearance')
  const isDense = currentDensity.peek() === 'compact'
  return [
    { ...themeSwitch(services), group },
    {
      group,
      icon: 'list',
      label: isDense ? t('Use comfortable density') : t('Use compact density'),
      run: () => void changeSettings(services, { density: isDense ? 'comfortable' : 'compact' }),
    },
    ...languages
      .filter(({ id }) => id !== currentLanguage().id)
      .map(({ id, name }) => ({
        group,
        icon: 'person' as const,
        label: t('Language: {name}', { name }),
        run: () => void chooseLanguage(services, id),
      })),
  ]
}
