import { useState } from 'preact/hooks'
import { createEvents } from '../api/events.ts'
import { useLoaded } from '../data/use-loaded.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { ChangeList } from '../ui/change-list.tsx'
import { LoadProblem } from '../ui/notes.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

/** The history of the assignment, loaded when the section is opened. */
export function HistorySection({ assignmentId }: { readonly assignmentId: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <section class="panel-section">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <h3 class="in-summary">{t('History')}</h3>
        </summary>
        {isOpen && <Entries assignmentId={assignmentId} />}
      </details>
    </section>
  )
}

function Entries({ assignmentId }: { readonly assignmentId: string }) {
  const { send } = useServices()
  const { value, problem, reload } = useLoaded(`history-${assignmentId}`, ['assignment'], (signal) =>
    createEvents(send).history({ resource: 'assignment', id: assignmentId, pageSize: 50 }, signal),
  )
  if (problem) return <LoadProblem problem={problem} onRetry={reload} />
  return value === undefined ? (
    <Skeleton as="rows" rows={2} cells="face lines" />
  ) : (
    <ChangeList changes={value.data} />
  )
}
