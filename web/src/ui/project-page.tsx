import { useId, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import type { Connection } from '../api/live.ts'
import { projectPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Icon } from './icon.tsx'
import { MembersDialog, useLater } from './lazy.tsx'
import { ProjectMark, usePageTitle, useRootClass } from './page.tsx'
import { ConnectionStatus } from './page-states.tsx'
import { phone, useMedia } from './viewport.ts'

/** The views of a project. The first one is shown if the address names none. */
export const projectViews = [
  { name: 'board', label: 'Board', icon: 'columns' },
  { name: 'list', label: 'List', icon: 'list' },
  { name: 'calendar', label: 'Calendar', icon: 'calendar' },
  { name: 'timeline', label: 'Timeline', icon: 'timeline' },
] as const

export type ViewName = (typeof projectViews)[number]['name']

/** The pages of a project other than its views; `words` are what users type for them in the palette. */
export const projectPages = [
  {
    path: 'activity',
    icon: 'pulse',
    label: 'Activity',
    isExtension: true,
    words: { en: 'history changes log', pt: 'atividade histórico mudanças' },
  },
  {
    path: 'report',
    icon: 'chart',
    label: 'Hours',
    isExtension: false,
    words: { en: 'report time', pt: 'horas relatório tempo' },
  },
  {
    path: 'settings',
    icon: 'gear',
    label: 'Settings',
    isExtension: false,
    words: { en: 'rename color key', pt: 'configurações renomear cor chave' },
  },
] as const

/** Returns the pages that exist with or without the extensions. */
export const pagesWith = (extensions: boolean) =>
  projectPages.filter(({ isExtension }) => extensions || !isExtension)

/**
 * The query with which each project was last shown: its view and filters. The pages of the project lead back
 * there.
 */
export const lastQueries = new Map<string, string>()

interface ProjectHeaderProps {
  readonly projectId: string
  readonly project: RecordOf<'project'> | undefined
  readonly isLoading: boolean
  /** The path of the page. Undefined for the views of the project. */
  readonly current?: string
  /** Undefined for pages that do not follow changes. */
  readonly connection?: Connection
  /** The address of the same page of another project ends with this. */
  readonly addressEnd?: string
  /** If undefined, the button opens the dialog over any page. */
  onNew?(): void
}

/**
 * The header of all pages of a project. It has the name, which opens a list of other projects, links to
 * pages, and a button that creates an assignment. On phones it is a part of the bar at the top, and the list
 * of the name replaces the links.
 */
export function ProjectHeader(props: ProjectHeaderProps) {
  const { projectId, isLoading, current, connection, onNew } = props
  useRootClass('has-project-header')
  return (
    <header class="page-header project-header">
      <div class="page-title">
        <nav class="breadcrumb" aria-label={t('Breadcrumb')}>
          <a href="/projects">{t('Projects')}</a>
          <span aria-hidden="true">/</span>
        </nav>
        <ProjectName {...props} />
      </div>
      {!isLoading && (
        <>
          {connection && <ConnectionStatus connection={connection} />}
          <ProjectPages projectId={projectId} current={current} />
          <button
            type="button"
            class={`button ${onNew ? 'primary' : ''}`}
            onClick={onNew}
            data-new-assignment={onNew ? undefined : projectId}
            aria-keyshortcuts="N"
          >
            <Icon name="plus" />
            <span>{t('New assignment')}</span>
          </button>
        </>
      )}
    </header>
  )
}

/**
 * The name of the project, as a button that lists the other projects, and on phones also the pages of this
 * one. It is the heading of the views.
 */
function ProjectName({ projectId, project, isLoading, current, addressEnd = '' }: ProjectHeaderProps) {
  const { extensions } = useServices().configuration
  const isPhone = useMedia(phone)
  const [isOpen, setOpen] = useState(false)
  const [isChangingMembers, setChangingMembers] = useState(false)
  const switcher = useLater(isOpen, () => import('./project-switcher.tsx'))
  const button = useRef<HTMLButtonElement>(null)
  const layerId = useId()
  const isHeading = current === undefined
  const text = project?.name ?? t('Project')
  const heading = usePageTitle(isHeading ? text : undefined)
  const name = (
    <button
      ref={button}
      type="button"
      class={`project-switch ${isLoading ? 'loading' : ''}`}
      title={isPhone ? t('Pages and projects') : t('Switch project')}
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      aria-controls={layerId}
      onClick={() => setOpen(!isOpen)}
    >
      <ProjectMark project={project ?? { id: projectId }} />
      <span dir="auto">{text}</span>
      <Icon name="down" />
    </button>
  )
  return (
    <>
      {isHeading ? (
        <h1 ref={heading} tabIndex={-1} class="project-name">
          {name}
        </h1>
      ) : (
        <div class="project-name">{name}</div>
      )}
      {isOpen && switcher && (
        <switcher.ProjectSwitcher
          id={layerId}
          button={button}
          currentId={projectId}
          currentPage={current}
          pages={isPhone ? pagesWith(extensions) : []}
          addressEnd={isHeading ? addressEnd : `/${current}`}
          onMembers={() => setChangingMembers(true)}
          onClose={() => setOpen(false)}
        />
      )}
      {isChangingMembers && (
        <MembersDialog project={{ id: projectId, name: text }} onClose={() => setChangingMembers(false)} />
      )}
    </>
  )
}

interface ProjectPagesProps {
  readonly projectId: string
  readonly current: string | undefined
}

/** Links to the other pages. */
function ProjectPages({ projectId, current }: ProjectPagesProps) {
  const { extensions } = useServices().configuration
  if (useMedia(phone)) return null
  return (
    <>
      {pagesWith(extensions).map(({ path, icon, label }) => (
        <a
          key={path}
          class="button quiet page-action"
          href={projectPath(projectId, `/${path}`)}
          title={t(label)}
          aria-current={path === current ? 'page' : undefined}
        >
          <Icon name={icon} />
          <span class="page-action-name">{t(label)}</span>
        </a>
      ))}
    </>
  )
}

/** Returns the name of the view that an address shows, if any. */
export const shownViewIn = ({ pathname, searchParams }: URL): string | undefined =>
  /^\/projects\/[^/]+(\/assignments\/[^/]+)?$/.test(pathname)
    ? (searchParams.get('view') ?? projectViews[0].name)
    : undefined

/** Returns the address of a view, with the filters and the open assignment of another address of the project. */
export function viewAddress({ pathname, searchParams }: URL, name: ViewName): string {
  const query = new URLSearchParams(searchParams)
  query.delete('view')
  if (name !== projectViews[0].name) query.set('view', name)
  return query.size === 0 ? pathname : `${pathname}?${query}`
}

interface ViewSwitchProps {
  /** Undefined on a page that is none of the views. */
  readonly current?: ViewName
  /** The address of a view, whose filters and open assignment the others keep. */
  readonly address: URL
}

/** Links to the views of a project. */
export const ViewSwitch = ({ current, address }: ViewSwitchProps) => (
  <nav class="view-switch" aria-label={t('View')}>
    {projectViews.map(({ name, label, icon }) => (
      <a
        key={name}
        href={viewAddress(address, name)}
        title={t(label)}
        aria-current={name === current ? 'page' : undefined}
      >
        <Icon name={icon} />
        <span>{t(label)}</span>
      </a>
    ))}
  </nav>
)
