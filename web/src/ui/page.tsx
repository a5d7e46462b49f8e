import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { useListing } from '../data/use-listing.ts'
import { projectPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { hueOf } from './marks.tsx'
import { EmptyState } from './notes.tsx'

interface PageProps {
  readonly title: string
  /** True while the title is a placeholder for a name that is being loaded. */
  readonly isTitleLoading?: boolean
  /** Shown before the title, such as the colour of a project. */
  readonly mark?: ComponentChildren
  /** The parent, as a link. */
  readonly parentLink?: ComponentChildren
  /** Actions next to the title. */
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** Lays out a screen. Sets the tab's title, and focuses the heading when it is mounted after a navigation. */
export function Page({ title, isTitleLoading, mark, parentLink, actions, children }: PageProps) {
  const { router } = useServices()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Tracker`
  }, [title])
  useEffect(() => {
    // The first load leaves the focus at the top of the page.
    if (router.hasMoved()) heading.current?.focus({ preventScroll: true })
  }, [router])
  return (
    <div class="page">
      <header class="page-header">
        <div class="page-title">
          {parentLink && (
            <nav class="breadcrumb" aria-label={t('Breadcrumb')}>
              {parentLink} <span aria-hidden="true">/</span>
            </nav>
          )}
          {mark}
          <h1 ref={heading} tabIndex={-1} dir="auto" class={isTitleLoading ? 'loading' : ''}>
            {title}
          </h1>
        </div>
        {actions}
      </header>
      {children}
    </div>
  )
}

/** Opens the dialog of a new record when the URL has `?new=1`, as in links of the palette. */
export function useOpenNewFromUrl(open: () => void): void {
  const { router } = useServices()
  const isRequested = router.address.value.searchParams.get('new') === '1'
  useEffect(() => {
    if (!isRequested) return
    open()
    router.setQuery({ new: '' })
  }, [isRequested])
}

/** The page that other users see instead of a screen for administrators. */
export const AdministratorsOnly = ({ title }: { readonly title: string }) => (
  <Page title={title}>
    <EmptyState icon="gear" title={t('Administrators only')}>
      <p>{t('Ask an administrator for what you need.')}</p>
    </EmptyState>
  </Page>
)

/** A page for users who are not signed in: it has no navigation. */
export function StandalonePage({
  title,
  children,
}: {
  readonly title: string
  readonly children: ComponentChildren
}) {
  useEffect(() => {
    document.title = `${title} · Tracker`
  }, [title])
  return (
    <main class="alone">
      <div class="alone-card">
        <p class="brand">
          <img src="/icon.svg" alt="" width="32" height="32" />
          <span>Tracker</span>
        </p>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}

/** The breadcrumb from all projects to a project, for screens below the project. */
export function ProjectCrumbs({ projectId }: { readonly projectId: string }) {
  const project = useListing('project', { ids: projectId })
  return (
    <>
      <a href="/projects">{t('Projects')}</a> <span aria-hidden="true">/</span>{' '}
      <ProjectMark project={project.rows[0] ?? { id: projectId }} />{' '}
      <a href={projectPath(projectId)} dir="auto">
        {project.rows[0]?.name ?? t('Project')}
      </a>
    </>
  )
}

export interface ProjectMarkProps {
  readonly project: Pick<RecordOf<'project'>, 'id' | 'color'>
}

/** The colour of a project, next to its name: the chosen colour, or else one that is derived from the id. */
export const ProjectMark = ({ project: { id, color } }: ProjectMarkProps) => (
  <span class="project-mark" data-color={color ?? hueOf(id)} aria-hidden="true" />
)

interface Tab {
  readonly label: string
  readonly href: string
  readonly isCurrent: boolean
}

/**
 * Links to the parts of a screen. On a phone not all of them fit, so the current one is scrolled into view.
 */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const current = useRef<HTMLAnchorElement>(null)
  const href = tabs.find(({ isCurrent }) => isCurrent)?.href
  useEffect(() => current.current?.scrollIntoView({ block: 'nearest', inline: 'center' }), [href])
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a
          key={tab.href}
          ref={tab.isCurrent ? current : null}
          href={tab.href}
          aria-current={tab.isCurrent ? 'page' : undefined}
        >
          {tab.label}
        </a>
      ))}
    </nav>
  )
}
