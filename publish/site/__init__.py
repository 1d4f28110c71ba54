from courseware.environment import ROOT

TO = ROOT / "build" / "site"
