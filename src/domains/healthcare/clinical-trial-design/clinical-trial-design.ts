import type { ProblemType } from '../../problem-type.js';
import { boin, LARGEST_TRIAL } from './boin.js';
import { fixed, LARGEST_ARM } from './fixed.js';
import { groupSequential, MOST_LOOKS } from './group-sequential.js';
import { LARGEST_N, simonTwoStage } from './simon-two-stage.js';
import { MOST_STRATA, stratifiedAllocation } from './stratified-allocation.js';

export const clinicalTrialDesign: ProblemType = {
  domain: 'healthcare',
  name: 'clinical_trial_design',
  aliases: ['clinical_trial'],
  title: 'Clinical trial design',
  summary: 'How many patients, when to look at them, and when to stop, so that a trial errs as seldom as it may.',
  models: [simonTwoStage, groupSequential, fixed, boin, stratifiedAllocation],
  limits: {
    simon_patients: LARGEST_N,
    looks: MOST_LOOKS,
    patients_per_arm: LARGEST_ARM,
    boin_patients: LARGEST_TRIAL,
    strata: MOST_STRATA,
  },
};
