from accountant.accounting.account import Account as Account
from accountant.accounting.composed import Composed as Composed
from accountant.accounting.entry import Entry as Entry
from accountant.accounting.theorems import FOUNDATIONS as FOUNDATIONS
