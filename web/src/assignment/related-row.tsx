import type { ComponentChildren } from 'preact'
import type { RecordOf } from '../api/api.ts'
import { assignmentPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { Icon } from '../ui/icon.tsx'

/** The ways in which an assignment can be related to another one. */
export type Relation = 'partOf' | 'waitsFor' | 'blocks'

interface RelatedRowProps {
  readonly assignment: RecordOf<'assignment'>
  /** Details, which are shown below the name. */
  readonly line: string
  readonly isDone: boolean
  readonly removeLabel: string
  onRemove(): void
  readonly children?: ComponentChildren
}

/** Shows a related assignment, with a button that ends the relation. */
export function RelatedRow({ assignment, line, isDone, removeLabel, onRemove, children }: RelatedRowProps) {
  const { router } = useServices()
  const { id, projectId, name } = assignment
  return (
    <li class="row">
      {isDone && <Icon name="check" />}
      <span class="row-text">
        <a dir="auto" href={assignmentPath(projectId, id, router.address.value.search)}>
          {name}
        </a>
        <span class="quiet-text line">{line}</span>
        {children}
      </span>
      <button type="button" class="button quiet icon-only" aria-label={removeLabel} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </li>
  )
}
