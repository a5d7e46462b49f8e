import { administrationJourneys } from './journeys/administration.ts'
import { projectJourneys } from './journeys/projects.ts'
import { reportJourneys } from './journeys/reports.ts'
import { weekJourneys } from './journeys/week.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

describeInBrowser('Projects', {
  'the projects': projectJourneys,
  'the week': weekJourneys,
  reports: reportJourneys,
  administration: administrationJourneys,
})
