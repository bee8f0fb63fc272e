import type { ProblemType } from '../../problem-type.js';
import { assignment, MOST_AGENTS, MOST_JOBS } from './assignment.js';
import { keywordBidding, MOST_KEYWORDS } from './keyword-bidding.js';
import { mediaReach, MOST_COVERS, MOST_GROUPS, MOST_VEHICLES } from './media-reach.js';
import { MOST_CELLS, MOST_OFFERS, MOST_SEGMENTS, offerTargeting } from './offer-targeting.js';
import { MOST_SLOTS, sendSchedule } from './send-schedule.js';

export const campaign: ProblemType = {
  domain: 'marketing',
  name: 'campaign',
  aliases: ['campaign_optimization'],
  title: 'Campaigns',
  summary: 'Whom to send which offer, where to book, what to bid and when to send, within a budget.',
  models: [offerTargeting, assignment, mediaReach, keywordBidding, sendSchedule],
  limits: {
    segments: MOST_SEGMENTS,
    offers: MOST_OFFERS,
    segments_times_offers: MOST_CELLS,
    agents: MOST_AGENTS,
    jobs: MOST_JOBS,
    vehicles: MOST_VEHICLES,
    audience_groups: MOST_GROUPS,
    groups_covered_by_all_vehicles: MOST_COVERS,
    keywords: MOST_KEYWORDS,
    slots: MOST_SLOTS,
  },
};
