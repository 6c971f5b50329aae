/**
 * The documents that a comparison's designs are grounded on: small ones of the project's own, each about another trade.
 * None is about what a held-out theme is about; single words ("beam", "keeper") stand in both, as they would in any text.
 */

/** Ten nouns of one trade a line, and two numbers. */
const trades: readonly string[] = [
  "canal barge towpath bridge cargo bargeman ledger mooring hull tiller 14 320",
  "dairy churn butter cattle cream pasture milkmaid cheese rennet stable 6 45",
  "tannin walnut dye linen loom weaver thread shuttle fabric spindle 12 900",
  "bank vault teller deposit coin ledger loan interest cheque branch 24 1500",
  "airport runway pilot baggage hangar gate passenger turbine customs tarmac 30 720",
  "museum curator sculpture gallery fresco catalogue statue archive pottery exhibit 18 250",
  "pharmacy tablet dose powder prescription flask syrup remedy scale vial 5 75",
  "sawmill timber plank blade lumber sawdust log beam carpenter veneer 9 410",
  "post parcel stamp courier letter sorter address mailbag envelope counter 40 88",
  "subway token platform carriage turnstile escalator commuter tunnel switchboard ticket 16 600",
  "greenhouse seedling fern trowel compost humidity tomato trellis gardener orchid 7 130",
  "kitchen chef skillet recipe pepper simmer ladle menu pantry dough 11 35",
  "laboratory beaker reagent burner titration sample catalyst microscope crystal solvent 3 280",
  "fishery trawler herring net harbour crate haddock skipper icebox quay 21 64",
  "cinema projector reel usher screen popcorn trailer curtain poster matinee 8 195",
  "hospital patient surgeon ward monitor ambulance scalpel bandage clinic stretcher 13 510",
  "shipyard keel rivet crane dockhand propeller plating slipway welder bulkhead 27 830",
  "winery grape barrel cellar vintner cask bottle harvest yeast cork 10 44",
  "bookshop novel shelf binding author chapter paperback reader library atlas 19 360",
  "observatory telescope nebula comet lens astronomer eclipse dome spectrum orbit 4 980",
  "court judge witness verdict jury lawyer appeal testimony bailiff statute 12 77",
  "stable saddle bridle groom gallop hoof pasture rider halter mare 22 150",
  "glasswork furnace blower crystal tongs goblet annealing bubble rod cullet 6 1100",
  "forge anvil bellows hammer ingot smith quench tongs horseshoe ember 15 240",
  "school pupil blackboard chalk lesson headmaster satchel homework recess desk 25 185",
  "bakery flour oven yeast loaf baker pastry sugar apron crumb 8 62",
  "railway locomotive boiler conductor sleeper coal signalman junction carriage whistle 33 475",
  "mountain glacier ridge summit climber rope crevasse blizzard tent piton 17 660",
  "desert oasis camel dune nomad caravan scorpion mirage cistern saddlebag 20 90",
  "jungle vine parrot canopy machete temple river jaguar explorer hammock 5 340",
  "theatre actor stage prompter costume rehearsal spotlight balcony playwright mask 14 215",
  "factory conveyor foreman gearbox press assembly shift welding pallet inspector 36 1250",
  "newspaper editor headline column reporter press deadline printer edition caption 2 52",
  "zoo keeper giraffe enclosure elephant feeding panda aviary turtle ticket 28 145",
  "bridge girder cable engineer span rivet abutment toll pier concrete 31 770",
  "castle drawbridge moat turret knight portcullis dungeon banner armour squire 9 405",
  "village market baker well mill fiddler bonfire cottage smithy church 7 58",
  "harbour pilot buoy tugboat anchor stevedore cargo beacon jetty captain 26 290",
  "orchard apple cider ladder basket pruning blossom wasp barrow cellar 12 84",
  "radio antenna dial frequency operator valve broadcast static transmitter headset 1 565",
  "clinic nurse vaccine pulse thermometer clipboard syringe patient waiting roster 10 48",
  "garage mechanic piston wrench engine gasket carburettor tyre spanner oil 23 310",
  "laundry iron starch soap basin steam mangle sheet peg hamper 6 95",
  "wharf rope barrel sailor bollard crate gangway customs tariff hoist 18 440",
  "stadium referee goalkeeper whistle scoreboard turnstile anthem striker bench pitch 32 890",
  "studio easel pigment canvas brush portrait varnish palette sketch gallery 4 120",
  "archive parchment seal folio scribe inventory charter register vellum catalogue 16 730",
  "farm tractor plough barley silo fence shepherd barn fodder cockerel 29 370",
];

export interface ComparisonDocument {
  readonly title: string;
  readonly text: string;
}

/** All of them, in a fixed order. */
export function comparisonDocuments(): readonly ComparisonDocument[] {
  return trades.map((line) => {
    const words = line.split(" ");
    const [small = "1", large = "100"] = words.slice(10);
    const [a = "", b = "", c = "", d = "", e = "", f = "", g = "", h = "", i = "", j = ""] = words;
    return {
      title: `Notes on the ${a}`,
      text: [
        `The ${a} keeps ${small} of its ${b}, and the ${c} is checked against the ${d} every morning.`,
        `Whoever looks after the ${e} knows the ${f}; the ${g} and the ${h} are kept apart.`,
        `In a good year ${large} go through the ${a}. The ${i} is old, the ${j} is new, and the ${b} belongs to the ${c}.`,
        `First comes the ${d}, then the ${e}, and the ${f} last; without the ${g} there is no ${h}.`,
      ].join("\n\n"),
    };
  });
}
