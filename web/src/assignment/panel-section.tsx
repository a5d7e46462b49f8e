import type { ComponentChildren } from 'preact'
import { limits } from '#tracker-client'
import { labelQuery, useDependencies } from '../data/project-links.ts'
import { catalogQuery, useAllRows, useListing } from '../data/use-listing.ts'
import { useNamesLoaded } from '../data/use-members.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Icon } from '../ui/icon.tsx'
import { ErrorBoundary } from '../ui/page-states.tsx'

interface PanelSectionProps {
  /** The id of the title begins with this name. */
  readonly name: string
  readonly title: string
  /** An empty section shows only its control for adding content. */
  readonly isEmpty: boolean
  /** Places the section among the fields, with its title next to its content, instead of below them. */
  readonly isField?: boolean
  /** Shown after the title. */
  readonly aside?: ComponentChildren
  /** A button at the end of the line of the title. */
  readonly action?: ComponentChildren
  readonly children: ComponentChildren
}

/** A part of the panel with a title. */
export const PanelSection = ({
  name,
  title,
  isEmpty,
  isField = false,
  aside,
  action,
  children,
}: PanelSectionProps) => {
  const heading = (
    <h3 id={`${name}-title`} class={isEmpty && !isField ? 'visually-hidden' : ''}>
      {title}
      {aside}
    </h3>
  )
  return (
    <section
      class={`${isField ? 'panel-field' : 'panel-section'} ${isEmpty ? 'unfilled' : ''}`}
      aria-labelledby={`${name}-title`}
    >
      {action ? (
        <div class="panel-head">
          {heading}
          {action}
        </div>
      ) : (
        heading
      )}
      {isField ? <div class="panel-values">{children}</div> : children}
    </section>
  )
}

/** A field that looks like a quiet line until it is used. */
export const Adder = ({ children }: { readonly children: ComponentChildren }) => (
  <span class="panel-adder">
    <Icon name="plus" />
    {children}
  </span>
)

/** A section that fails leaves the others usable. */
export const Guard = ({ children }: { readonly children: ComponentChildren }) => (
  <ErrorBoundary
    fallback={(retry) => (
      <div class="panel-section" role="alert">
        <p>{t('This part cannot be shown.')}</p>
        <button type="button" class="button" onClick={retry}>
          {t('Try again')}
        </button>
      </div>
    )}
  >
    {children}
  </ErrorBoundary>
)

export type PanelData = ReturnType<typeof usePanelData>

/**
 * Loads the related data of an assignment. The panel shows all of it at once, so that no list moves when
 * another arrives.
 */
export function usePanelData(assignmentId: string, projectId: string) {
  const { extensions } = useServices().configuration
  const appointments = useAllRows('appointment', { assignmentId, sortColumn: 'keepDate', sortOrder: 'DESC' })
  const impediments = useListing('assignmentImpediment', {
    assignmentId,
    sortColumn: 'createdAt',
    pageSize: 100,
  })
  const kinds = useAllRows('impediment', catalogQuery)
  const participants = useListing('userAssignment', { assignmentId, pageSize: 100 })
  // The newest comments come first, because only one page is loaded.
  const comments = useListing(
    'comment',
    extensions
      ? { assignmentId, sortColumn: 'createdAt', sortOrder: 'DESC', pageSize: limits.pageSize }
      : undefined,
  )
  const labels = useAllRows('label', extensions ? labelQuery(projectId) : undefined)
  const labelLinks = useListing(
    'assignmentLabel',
    extensions ? { assignmentId, pageSize: limits.pageSize } : undefined,
  )
  const dependencies = useDependencies(assignmentId)
  const parts = useListing(
    'assignment',
    extensions ? { parentId: assignmentId, sortColumn: 'rank', pageSize: limits.pageSize } : undefined,
  )
  const attachments = useAllRows(
    'attachment',
    extensions ? { assignmentId, sortColumn: 'createdAt' } : undefined,
  )
  const isComplete = [
    appointments,
    impediments,
    kinds,
    participants,
    ...(extensions ? [comments, labels, labelLinks, attachments, parts] : []),
  ].every(({ isLoading }) => !isLoading)
  const areDependenciesLoaded = dependencies.value !== undefined || dependencies.problem !== undefined
  const userIds = [appointments, participants, comments, attachments].flatMap(({ rows }) =>
    rows.map(({ userId }) => userId),
  )
  const areLoaded = useNamesLoaded([...new Set(userIds)], isComplete && areDependenciesLoaded)
  const areFieldRowsLoaded = [
    impediments,
    kinds,
    participants,
    ...(extensions ? [labels, labelLinks] : []),
  ].every(({ isLoading }) => !isLoading)
  // A participant whose name arrives later needs more room, and would move the sections below.
  const participantIds = participants.rows.map(({ userId }) => userId)
  const areFieldsLoaded = useNamesLoaded(participantIds, areFieldRowsLoaded)
  const lists = { appointments, impediments, kinds, participants, comments, labels, labelLinks }
  return { ...lists, dependencies, parts, attachments, areFieldsLoaded, areLoaded }
}
