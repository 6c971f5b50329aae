/** Every command of the lab, in the order that help shows them. */
import { audit } from "./audit.ts";
import { campaignChartCommand } from "./campaign-chart.ts";
import { campaignPause, campaignResume, campaignStop } from "./campaign-control.ts";
import { campaignList, campaignStatus } from "./campaign-list.ts";
import { campaignStart } from "./campaign-start.ts";
import { cancel } from "./cancel.ts";
import type { Command } from "./command.ts";
import { compare } from "./compare.ts";
import { approve, reject } from "./decision.ts";
import { docAdd } from "./doc-add.ts";
import { docList } from "./doc-list.ts";
import { docRemove } from "./doc-remove.ts";
import { docShow } from "./doc-show.ts";
import { envAdmit } from "./env-admit.ts";
import { envCompare } from "./env-compare.ts";
import { envList } from "./env-list.ts";
import { envMeasure } from "./env-measure.ts";
import { envPlay } from "./env-play.ts";
import { envRequest } from "./env-request.ts";
import { envRetire } from "./env-retire.ts";
import { envShow } from "./env-show.ts";
import { envSource } from "./env-source.ts";
import { episode } from "./episode.ts";
import { episodes } from "./episodes.ts";
import { exportEpisodes } from "./export.ts";
import { helpOn } from "./help.ts";
import { hintAdd } from "./hint-add.ts";
import { hintEdit } from "./hint-edit.ts";
import { hintList } from "./hint-list.ts";
import { playAct, playGiveUp, playHint } from "./play-step.ts";
import { policyCompare } from "./policy-compare.ts";
import { policyList } from "./policy-list.ts";
import { policyRollback } from "./policy-rollback.ts";
import { policyShow } from "./policy-show.ts";
import { resume } from "./resume.ts";
import { round } from "./round.ts";
import { rounds } from "./rounds.ts";
import { serve } from "./serve.ts";
import { settingsSet, settingsShow } from "./settings.ts";
import { status } from "./status.ts";
import { watchAdd, watchList, watchRemove } from "./watch.ts";

const working: readonly Command[] = [
  round,
  rounds,
  campaignStart,
  campaignStatus,
  campaignList,
  campaignPause,
  campaignResume,
  campaignStop,
  campaignChartCommand,
  status,
  resume,
  cancel,
  approve,
  reject,
  episodes,
  episode,
  policyList,
  policyShow,
  policyCompare,
  policyRollback,
  exportEpisodes,
  envList,
  envShow,
  envSource,
  envAdmit,
  envMeasure,
  envPlay,
  envCompare,
  envRequest,
  envRetire,
  compare,
  docAdd,
  docList,
  docShow,
  docRemove,
  hintAdd,
  hintEdit,
  hintList,
  watchAdd,
  watchList,
  watchRemove,
  playAct,
  playHint,
  playGiveUp,
  settingsShow,
  settingsSet,
  audit,
  serve,
];

export const commands: readonly Command[] = [...working, helpOn(working)];
