import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { LoadProblem } from '../../ui/notes.tsx'
import type { ProjectViewProps } from './view-props.ts'
import { ViewSkeleton } from './view-skeleton.tsx'
import type { ProjectView } from './views.ts'

type Loaded = { readonly view: ProjectView; readonly Component: ComponentType<ProjectViewProps> }

/** A view whose script is fetched when it is first looked at. */
export function LaterView({ view, ...props }: ProjectViewProps & { readonly view: ProjectView }) {
  const [loaded, setLoaded] = useState<Loaded>()
  const [problem, setProblem] = useState<Error>()
  useEffect(() => {
    let isWanted = true
    view.load?.().then(
      (Component) => isWanted && setLoaded({ view, Component }),
      (error: Error) => isWanted && setProblem(error),
    )
    return () => {
      isWanted = false
    }
  }, [view])
  if (problem) return <LoadProblem problem={problem} onRetry={() => location.reload()} />
  if (loaded?.view !== view) return <ViewSkeleton view={view.name} />
  return <loaded.Component {...props} />
}
