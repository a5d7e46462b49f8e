import { useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { sentenceOf } from '../../api/api-problem.ts'
import { useListing } from '../../data/use-listing.ts'
import { useServices } from '../../services/services.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadProblem, Skeleton } from '../../ui/notes.tsx'
import { PersonLine } from '../../ui/person-line.tsx'
import { PersonPicker } from '../../ui/person-picker.tsx'
import { useRemoval } from '../../ui/use-removal.ts'

/** Who works on the project: members see it, and may change it. */
export function MembersDialog({
  project,
  onClose,
}: {
  readonly project: RecordOf<'project'>
  onClose(): void
}) {
  const { api, people } = useServices()
  const remove = useRemoval()
  const members = useListing('userProject', { projectId: project.id, pageSize: 100 })
  const [problem, setProblem] = useState<string>()
  const add = async (userId: string) => {
    if (members.rows.some((row) => row.userId === userId))
      return setProblem(`${people.nameOf(userId)} is a member already.`)
    await api.create('userProject', { projectId: project.id, userId }).then(
      () => setProblem(undefined),
      (error) => setProblem(sentenceOf(error)),
    )
  }
  return (
    <Dialog title={`Members of ${project.name}`} onClose={onClose}>
      {members.problem && <LoadProblem problem={members.problem} onRetry={members.reload} />}
      {members.isLoading && <Skeleton rows={3} />}
      <ul class="rows">
        {members.rows.map(({ id, userId }) => (
          <PersonLine
            key={id}
            name={people.nameOf(userId)}
            removeLabel={`Remove ${people.nameOf(userId)} from the project`}
            onRemove={() => void remove('userProject', id, people.nameOf(userId))}
          />
        ))}
      </ul>
      <PersonPicker label="Add a member" placeholder="Add a member…" onChoose={(id) => void add(id)} />
      {problem && (
        <p class="field-errors" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  )
}
