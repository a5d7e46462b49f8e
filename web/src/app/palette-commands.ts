import type { ComponentChildren } from 'preact'
import { projectPath } from '../router/router.ts'
import { administrationPages } from '../screens/administration/catalogs.tsx'
import { shownList } from '../screens/project/shown-list.ts'
import type { Services } from '../services/services.ts'
import { changeSettings, chooseLanguage, currentDensity, themeSwitch } from '../services/settings.ts'
import { currentLanguage, languages } from '../texts/language.ts'
import { type MessageKey, t } from '../texts/text.ts'
import { joinWords, type WordsByLanguage } from '../ui/fuzzy.ts'
import type { IconName } from '../ui/icon.tsx'
import { pagesWith, projectViews, shownViewIn, type ViewName, viewAddress } from '../ui/project-page.tsx'
import type { Screen } from './screens.ts'
import { keysOf, type Overlay } from './use-shortcuts.ts'

/** A command that does not depend on an assignment, for example to open a screen. */
export interface Command {
  readonly group: string
  /** Stands in front of the heading of the group. */
  readonly groupMark?: ComponentChildren
  readonly icon: IconName
  readonly label: string
  /** Words that users type for it. */
  readonly words?: WordsByLanguage
  readonly keys?: readonly string[]
  run(): void
}

/** Words for the pages of the navigation. */
const wordsOfPages: Readonly<Record<string, WordsByLanguage>> = {
  '/my-work': {
    en: 'tasks issues tickets todo assigned today overdue late due home',
    pt: 'minhas tarefas pendências hoje atrasadas início',
  },
  '/projects': { en: 'boards kanban organizations switch open', pt: 'quadros organizações trocar abrir' },
  '/week': {
    en: 'my timesheet time hours log record track today',
    pt: 'minhas horas apontar apontamentos registrar tempo hoje',
  },
  '/impediments': { en: 'blocked blockers', pt: 'bloqueios bloqueadas' },
  '/reports': { en: 'time hours statistics charts weekly monthly', pt: 'horas tempo estatísticas gráficos' },
  '/administration': {
    en: 'users people invite members settings',
    pt: 'usuários pessoas convidar membros configurações',
  },
  '/administration/users': { en: 'people invite accounts', pt: 'pessoas convidar contas' },
  '/administration/workflows': {
    en: 'workflow status states columns',
    pt: 'fluxo situações estados colunas',
  },
  '/administration/sign-in': {
    en: 'login policy password security second factor',
    pt: 'entrar senha segurança acesso segundo fator',
  },
  '/clients': { en: 'oauth integrations', pt: 'integrações' },
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
  ...(project ? [...toolCommands(project), ...projectCommands(services, project)] : []),
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
    words: { en: 'add create invite account person member', pt: 'adicionar criar convidar conta pessoa' },
    run: () => router.go('/administration/users?new=1'),
  }
  return [
    {
      group,
      icon: 'plus',
      label: t('New assignment'),
      words: { en: 'new add create issue ticket task', pt: 'adicionar criar tarefa chamado' },
      keys: keysOf('New assignment'),
      run: () => open({ kind: 'choose-project' }),
    },
    {
      group,
      icon: 'folder',
      label: t('New project'),
      words: { en: 'new project add create board', pt: 'adicionar criar quadro' },
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
  const page = (
    icon: IconName,
    label: string,
    path: string,
    words: WordsByLanguage | undefined,
  ): Command => ({
    group,
    icon,
    label,
    ...(words && { words }),
    keys: keysOf(path),
    run: () => router.go(path),
  })
  return [
    ...links.map(({ href, label, icon }) => page(icon, t(label), href, withName(label, wordsOfPages[href]))),
    ...(configuration.extensions
      ? [
          page('bell', t('Inbox'), '/inbox', {
            en: 'notifications messages unread mark all as read',
            pt: 'notificações avisos mensagens lidas',
          }),
        ]
      : []),
    page('person', t('My account'), '/account', {
      en: 'settings profile change password security passkey two factor api key tokens sessions devices email',
      pt: 'perfil mudar trocar senha segurança chave api sessões configurações',
    }),
    page('trash', t('Removed items'), '/removed', {
      en: 'deleted trash bin restore recover archive',
      pt: 'excluídos apagados lixeira restaurar recuperar',
    }),
    {
      group,
      icon: 'list',
      label: t('Keyboard shortcuts'),
      words: { en: 'help hotkeys', pt: 'ajuda teclas' },
      keys: ['?'],
      run: () => open({ kind: 'shortcuts' }),
    },
    {
      group,
      icon: 'move',
      label: t('Sign out'),
      words: { en: 'log out off logout exit', pt: 'sair encerrar' },
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
    words: joinWords({ en: 'admin manage', pt: 'administrar' }, wordsOfPages[href]),
    run: () => router.go(href),
  }))
}

/** Offers to undo and to redo only what there is. */
function changeCommands({ toasts }: Services): readonly Command[] {
  const group = t('Changes')
  const undo: Command = {
    group,
    icon: 'left',
    label: t('Undo the last change'),
    words: { en: 'undo revert back', pt: 'desfazer voltar' },
    keys: keysOf('Undo the last change'),
    run: toasts.undoLast,
  }
  const redo: Command = {
    group,
    icon: 'right',
    label: t('Redo the last undone change'),
    words: { en: 'redo repeat again', pt: 'refazer repetir' },
    run: toasts.redoLast,
  }
  return [...(toasts.canUndo() ? [undo] : []), ...(toasts.canRedo() ? [redo] : [])]
}

/** Adds the English name, by which users of other languages may know it. */
const withName = (name: MessageKey, words: WordsByLanguage | undefined): WordsByLanguage =>
  joinWords({ en: name, pt: '' }, words)

const wordsOfViews: Readonly<Record<ViewName, WordsByLanguage>> = {
  board: { en: 'view kanban columns cards', pt: 'visão quadro colunas cartões' },
  list: { en: 'view table sort group by rows', pt: 'visão lista tabela ordenar agrupar linhas' },
  calendar: {
    en: 'view month week ical feed subscribe sync',
    pt: 'visão calendário mês semana assinar sincronizar',
  },
  timeline: { en: 'view gantt roadmap plan', pt: 'visão cronograma gantt plano' },
}

const filterWords = {
  en: 'find search by label person type overdue late',
  pt: 'filtro filtrar buscar por etiqueta pessoa tipo atrasadas',
}

/** The parts of the settings of a project, by what users look for. */
const settingsParts: readonly {
  readonly icon: IconName
  readonly label: MessageKey
  readonly part: string
  readonly isExtension: boolean
  readonly words: WordsByLanguage
}[] = [
  {
    icon: 'person',
    label: 'Members',
    part: 'members',
    isExtension: false,
    words: { en: 'add invite people team share someone', pt: 'membros adicionar convidar pessoas equipe' },
  },
  {
    icon: 'columns',
    label: 'Stages',
    part: 'stages',
    isExtension: false,
    words: { en: 'workflow status columns order', pt: 'etapas fluxo situações colunas ordem' },
  },
  {
    icon: 'link',
    label: 'Integrations',
    part: 'integrations',
    isExtension: true,
    words: { en: 'webhooks', pt: 'integrações webhooks' },
  },
  {
    icon: 'trash',
    label: 'Archive or remove',
    part: 'end',
    isExtension: false,
    words: { en: 'delete close', pt: 'arquivar remover excluir apagar' },
  },
]

/** Returns commands for the tools that the screen of the open project shows. */
function toolCommands({ name: group, mark: groupMark }: ProjectGroup): readonly Command[] {
  const tool = (
    icon: IconName,
    label: string,
    selector: string,
    words: WordsByLanguage,
    keys: readonly string[] = [],
  ): readonly Command[] => {
    const button = document.querySelector<HTMLElement>(`main ${selector}`)
    // The click waits until the palette has closed and returned the focus.
    const run = () => setTimeout(() => button?.click())
    return button === null ? [] : [{ group, groupMark, icon, label, words, keys, run }]
  }
  return [
    ...tool('filter', t('Filter'), '.filter-button', filterWords, keysOf('Filter a project')),
    ...tool('bookmark', t('Save view'), '[data-tool=save-view]', { en: 'favorite bookmark', pt: 'favorito' }),
  ]
}

/** Returns commands for the views and pages of a project. */
export function projectCommands(
  { configuration, router }: Services,
  project: ProjectGroup,
): readonly Command[] {
  const heading = { group: project.name, groupMark: project.mark }
  const command = (icon: IconName, label: string, href: string, words: WordsByLanguage): Command => ({
    ...heading,
    icon,
    label,
    words: joinWords({ en: 'project', pt: 'projeto' }, words),
    run: () => router.go(href),
  })
  const page = (icon: IconName, label: string, path: string, words: WordsByLanguage): Command =>
    command(icon, label, projectPath(project.id, path), words)
  const exportWords = { en: 'export csv download excel spreadsheet', pt: 'exportar baixar planilha' }
  const list = shownList.peek()
  const address = router.address.peek()
  const shownView = shownViewIn(address)
  const otherViews = projectViews.filter(({ name }) => name !== shownView)
  const projectAddress = shownView === undefined ? new URL(projectPath(project.id), address) : address
  return [
    ...otherViews.map(({ name, icon, label }) =>
      command(icon, t(label), viewAddress(projectAddress, name), withName(label, wordsOfViews[name])),
    ),
    ...pagesWith(configuration.extensions).map(({ icon, label, path, words }) =>
      page(icon, t(label), `/${path}`, withName(label, words)),
    ),
    ...settingsParts
      .filter(({ isExtension }) => configuration.extensions || !isExtension)
      .map(({ icon, label, part, words }) =>
        page(icon, t(label), `/settings?part=${part}`, withName(label, words)),
      ),
    ...(configuration.extensions
      ? [
          page('file', t('Import'), '/import', {
            en: 'import csv upload spreadsheet',
            pt: 'importar enviar planilha',
          }),
        ]
      : []),
    // Only the list can be exported, so the other views lead to it.
    { ...page('download', t('Export…'), '?view=list', exportWords), ...(list && { run: list.save }) },
  ]
}

function settingsOf(services: Services): readonly Command[] {
  const group = t('Appearance')
  const isCompact = currentDensity.peek() === 'compact'
  return [
    {
      ...themeSwitch(services),
      words: { en: 'dark light mode color', pt: 'escuro claro modo cor tema' },
      group,
    },
    {
      group,
      icon: isCompact ? 'expand' : 'shrink',
      label: isCompact ? t('Use comfortable density') : t('Use compact density'),
      words: { en: 'small large spacing', pt: 'tamanho densidade' },
      run: () => void changeSettings(services, { density: isCompact ? 'comfortable' : 'compact' }),
    },
    ...languages
      .filter(({ id }) => id !== currentLanguage().id)
      .map(({ id, name }) => ({
        group,
        icon: 'globe' as const,
        label: t('Language: {name}', { name }),
        words: { en: 'language locale translation', pt: 'idioma língua tradução' },
        run: () => void chooseLanguage(services, id),
      })),
  ]
}
