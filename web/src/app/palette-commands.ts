import type { ComponentChildren } from 'preact'
import { projectPath } from '../router/router.ts'
import { administrationPages } from '../screens/administration/catalogs.tsx'
import { shownList } from '../screens/project/shown-list.ts'
import type { Services } from '../services/services.ts'
import { changeSettings, chooseLanguage, currentDensity, themeSwitch } from '../services/settings.ts'
import { currentLanguage, languages } from '../texts/language.ts'
import { t } from '../texts/text.ts'
import type { IconName } from '../ui/icon.tsx'
import { pagesWith, projectViews, shownViewIn, viewAddress } from '../ui/project-page.tsx'
import type { Screen } from './screens.ts'
import { keysOf, type Overlay } from './use-shortcuts.ts'

/** A command that does not depend on an assignment, for example to open a screen. */
export interface Command {
  readonly group: string
  /** Stands in front of the heading of the group. */
  readonly groupMark?: ComponentChildren
  readonly icon: IconName
  readonly label: string
  /** Words that users type for it, in all languages of the client. */
  readonly words?: string
  readonly keys?: readonly string[]
  run(): void
}

/** Words for the pages of the navigation. */
const wordsOfPages: Readonly<Record<string, string>> = {
  '/my-work': 'tasks issues tickets todo assigned tarefas pendências',
  '/projects': 'boards quadros',
  '/week': 'timesheet time hours log apontar horas apontamentos',
  '/impediments': 'blocked blockers bloqueios',
  '/reports': 'time hours statistics charts horas gráficos',
  '/administration': 'users people invite members settings usuários pessoas convidar configurações',
  '/administration/users': 'people invite accounts pessoas convidar contas',
  '/administration/workflows': 'workflow status states columns colunas situações',
  '/administration/sign-in': 'login policy password security second factor senha segurança acesso',
  '/clients': 'oauth integrations integrações',
}

/** The state and the functions of the shell that commands need. */
export interface Frame {
  /** The project that the screen shows, if any. */
  readonly projectId: string | undefined
  readonly links: readonly NonNullable<Screen['link']>[]
  open(overlay: Overlay): void
  signOut(): void
}

/** The open project, as the heading of its commands. */
export interface ProjectGroup {
  readonly id: string
  readonly name: string
  /** Missing without the extensions. */
  readonly key: string | undefined
  readonly mark: ComponentChildren
}

/** Returns the commands of the palette. Commands of the open project come first. */
export const commandsOf = (
  services: Services,
  frame: Frame,
  project: ProjectGroup | undefined,
): readonly Command[] => [
  ...(project ? projectCommands(services, project) : []),
  ...creationCommands(services, frame),
  ...pageCommands(services, frame),
  ...administrationCommands(services),
  ...changeCommands(services),
  ...settingsOf(services),
]

function creationCommands({ router, session }: Services, { open }: Frame): readonly Command[] {
  const group = t('Create')
  const isAdministrator = session.person.peek()?.isAdministrator === true
  const user: Command = {
    group,
    icon: 'person',
    label: t('New user'),
    words: 'add create invite account person member adicionar criar convidar conta pessoa',
    run: () => router.go('/administration/users?new=1'),
  }
  return [
    {
      group,
      icon: 'plus',
      label: t('New assignment'),
      words: 'add create issue ticket task adicionar criar tarefa chamado',
      keys: keysOf('New assignment'),
      run: () => open({ kind: 'choose-project' }),
    },
    {
      group,
      icon: 'folder',
      label: t('New project'),
      words: 'add create board adicionar criar quadro',
      run: () => router.go('/projects?new=1'),
    },
    ...(isAdministrator ? [user] : []),
  ]
}

function pageCommands(
  { configuration, router }: Services,
  { links, open, signOut }: Frame,
): readonly Command[] {
  const group = t('Go to')
  const page = (icon: IconName, label: string, path: string, words: string): Command => ({
    group,
    icon,
    label,
    words,
    keys: keysOf(path),
    run: () => router.go(path),
  })
  return [
    ...links.map(({ href, label, icon }) => page(icon, t(label), href, wordsOfPages[href] ?? '')),
    ...(configuration.extensions
      ? [page('bell', t('Inbox'), '/inbox', 'notifications messages unread notificações avisos mensagens')]
      : []),
    page(
      'person',
      t('My account'),
      '/account',
      'settings profile password security passkey tokens perfil senha segurança configurações',
    ),
    page('trash', t('Removed items'), '/removed', 'deleted bin restore excluídos lixeira restaurar'),
    {
      group,
      icon: 'list',
      label: t('Keyboard shortcuts'),
      words: 'help hotkeys ajuda',
      keys: ['?'],
      run: () => open({ kind: 'shortcuts' }),
    },
    {
      group,
      icon: 'move',
      label: t('Sign out'),
      words: 'log out logout exit sair encerrar',
      run: signOut,
    },
  ]
}

function administrationCommands({ configuration, router, session }: Services): readonly Command[] {
  if (session.person.peek()?.isAdministrator !== true) return []
  return administrationPages(configuration.extensions).map(({ href, label }) => ({
    group: t('Administration'),
    icon: 'shield',
    label,
    words: `admin manage administrar ${wordsOfPages[href] ?? ''}`,
    run: () => router.go(href),
  }))
}

function changeCommands({ toasts }: Services): readonly Command[] {
  const group = t('Changes')
  const sayNone = () => toasts.show({ kind: 'problem', text: t('There is no change for that.') })
  return [
    {
      group,
      icon: 'left',
      label: t('Undo the last change'),
      words: 'revert back desfazer voltar',
      keys: keysOf('Undo the last change'),
      run: () => toasts.undoLast() || sayNone(),
    },
    {
      group,
      icon: 'right',
      label: t('Redo the last undone change'),
      words: 'repeat again refazer repetir',
      keys: keysOf('Redo the last undone change'),
      run: () => toasts.redoLast() || sayNone(),
    },
  ]
}

/** Returns commands for the views and pages of the open project, and for the tools that its screen shows. */
function projectCommands({ configuration, router }: Services, project: ProjectGroup): readonly Command[] {
  const heading = { group: project.name, groupMark: project.mark }
  const command = (icon: IconName, label: string, href: string, words: string): Command => ({
    ...heading,
    icon,
    label,
    words: `project projeto ${words}`,
    run: () => router.go(href),
  })
  const page = (icon: IconName, label: string, path: string, words: string): Command =>
    command(icon, label, projectPath(project.id, path), words)
  const tool = (
    icon: IconName,
    label: string,
    selector: string,
    words: string,
    keys: readonly string[] = [],
  ): readonly Command[] => {
    const button = document.querySelector<HTMLElement>(`main ${selector}`)
    // The click waits until the palette has closed and returned the focus.
    return button === null
      ? []
      : [{ ...heading, icon, label, words, keys, run: () => setTimeout(() => button.click()) }]
  }
  const exportWords = 'csv download excel baixar planilha'
  const list = shownList.peek()
  const address = router.address.peek()
  const shownView = shownViewIn(address)
  const otherViews = projectViews.filter(({ name }) => name !== shownView)
  const projectAddress = shownView === undefined ? new URL(projectPath(project.id), address) : address
  return [
    ...otherViews.map(({ name, icon, label }) =>
      command(icon, t(label), viewAddress(projectAddress, name), `view visão ${name}`),
    ),
    ...tool('filter', t('Filter'), '.filter-button', 'find search buscar', keysOf('Filter a project')),
    ...tool('bookmark', t('Save view'), '[data-tool=save-view]', 'favorite bookmark favorito'),
    ...pagesWith(configuration.extensions).map(({ icon, label, path, words }) =>
      page(icon, t(label), `/${path}`, words),
    ),
    ...(configuration.extensions ? [page('file', t('Import'), '/import', 'csv upload enviar planilha')] : []),
    // Only the list can be exported, so the other views lead to it.
    { ...page('download', t('Export…'), '?view=list', exportWords), ...(list && { run: list.save }) },
  ]
}

function settingsOf(services: Services): readonly Command[] {
  const group = t('Appearance')
  const isCompact = currentDensity.peek() === 'compact'
  return [
    { ...themeSwitch(services), words: 'dark light mode color escuro claro modo cor tema', group },
    {
      group,
      icon: isCompact ? 'expand' : 'shrink',
      label: isCompact ? t('Use comfortable density') : t('Use compact density'),
      words: 'small large spacing tamanho densidade',
      run: () => void changeSettings(services, { density: isCompact ? 'comfortable' : 'compact' }),
    },
    ...languages
      .filter(({ id }) => id !== currentLanguage().id)
      .map(({ id, name }) => ({
        group,
        icon: 'globe' as const,
        label: t('Language: {name}', { name }),
        words: 'language locale translation idioma língua',
        run: () => void chooseLanguage(services, id),
      })),
  ]
}
